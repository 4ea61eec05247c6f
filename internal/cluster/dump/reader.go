package dump

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// Dump is a cluster in files. It serves the same wants as a live cluster, so that a diagnosis reads the same things.
type Dump struct {
	all   *cluster.Snapshot
	kinds map[string]bool
	// parts holds the objects of each namespace, those of the cluster under the empty name.
	parts map[string]*cluster.Snapshot
	logs  map[cluster.Want]*cluster.Log
}

var _ cluster.Reader = (*Dump)(nil)

func newDump(l *loader) *Dump {
	d := &Dump{all: &l.all, kinds: l.kinds, parts: map[string]*cluster.Snapshot{}, logs: map[cluster.Want]*cluster.Log{}}
	eachList(d.all, func(field int, list reflect.Value) {
		for i := range list.Len() {
			o := list.Index(i)
			if namespace, ok := namespaceOf(o.Interface()); ok {
				to := reflect.ValueOf(d.part(namespace)).Elem().Field(field)
				to.Set(reflect.Append(to, o))
			}
		}
	})
	d.implyNamespaces()
	for _, log := range d.all.Logs {
		d.logs[cluster.Want{What: cluster.WantLog, Namespace: log.Pod.Namespace, Name: log.Pod.Name, Container: log.Container, Previous: log.Previous}] = log
	}
	return d
}

// implyNamespaces adds the namespaces that the files do not hold and that something in them is in: most dumps list the
// objects of namespaces and not the namespaces.
func (d *Dump) implyNamespaces() {
	for _, name := range slices.Sorted(maps.Keys(d.parts)) {
		if name == "" || d.hasNamespace(name) {
			continue
		}
		implied := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NamespaceStatus{Phase: corev1.NamespaceActive}}
		d.all.Namespaces = append(d.all.Namespaces, implied)
		whole := d.part("")
		whole.Namespaces = append(whole.Namespaces, implied)
	}
}

// Snapshot returns an empty snapshot to read into, at the newest moment that the dump speaks of, with the gaps of its
// files.
func (d *Dump) Snapshot() *cluster.Snapshot {
	return &cluster.Snapshot{Now: d.all.Now, ServerVersion: d.all.ServerVersion, Gaps: slices.Clone(d.all.Gaps)}
}

func (d *Dump) part(namespace string) *cluster.Snapshot {
	p := d.parts[namespace]
	if p == nil {
		p = &cluster.Snapshot{}
		d.parts[namespace] = p
	}
	return p
}

// namespaceOf tells to which part an object or event belongs.
func namespaceOf(o any) (string, bool) {
	switch o := o.(type) {
	case *cluster.Event:
		return o.About.Namespace, true
	case *cluster.Log:
		return "", false
	case metav1.Object:
		return o.GetNamespace(), true
	}
	return "", false
}

// eachList calls f for every list of pointers of a snapshot.
func eachList(s *cluster.Snapshot, f func(field int, list reflect.Value)) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if t := v.Field(i).Type(); t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Pointer {
			f(i, v.Field(i))
		}
	}
}

// Read serves the wants from the files.
func (d *Dump) Read(ctx context.Context, into *cluster.Snapshot, wants []cluster.Want) error {
	if into.Now.IsZero() {
		into.Now, into.ServerVersion = d.all.Now, d.all.ServerVersion
		into.Gaps = append(into.Gaps, d.all.Gaps...)
	}
	have := map[any]bool{}
	eachList(into, func(_ int, list reflect.Value) {
		for i := range list.Len() {
			have[list.Index(i).Interface()] = true
		}
	})
	for _, w := range wants {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !slices.Contains(into.Read, w) {
			d.serve(w, into, have)
		}
	}
	return nil
}

func (d *Dump) serve(w cluster.Want, into *cluster.Snapshot, have map[any]bool) {
	switch w.What {
	case cluster.WantNamespace, cluster.WantCluster:
		d.servePart(w, into, have)
	case cluster.WantServices:
		for _, p := range d.parts {
			merge(&cluster.Snapshot{Services: p.Services, EndpointSlices: p.EndpointSlices}, into, have)
		}
		d.served(w, into, "Service", "EndpointSlice")
	case cluster.WantPodsOnNode:
		d.servePods(w, into, have)
	case cluster.WantLog:
		log := d.logs[w]
		if log == nil {
			into.Gaps = append(into.Gaps, cluster.Gap{Want: w, Reason: cluster.GapNotInDump})
			return
		}
		merge(&cluster.Snapshot{Logs: []*cluster.Log{log}}, into, have)
		into.Read = append(into.Read, w)
	case cluster.WantObject:
		d.serveObject(w, into, have)
	default:
		into.Gaps = append(into.Gaps, cluster.Gap{Want: w, Reason: cluster.GapNotInDump, Detail: "unknown want"})
	}
}

// servePart serves a namespace or the cluster-scoped objects.
func (d *Dump) servePart(w cluster.Want, into *cluster.Snapshot, have map[any]bool) {
	p := d.parts[w.Namespace]
	if p == nil {
		if w.What == cluster.WantNamespace && !d.hasNamespace(w.Namespace) {
			into.Gaps = append(into.Gaps, cluster.Gap{Want: w, Reason: cluster.GapNotInDump})
			return
		}
		p = &cluster.Snapshot{}
	}
	merge(p, into, have)
	var kinds []string
	for kind := range typed {
		if namespaced[kind] == (w.What == cluster.WantNamespace) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	d.served(w, into, kinds...)
}

func (d *Dump) hasNamespace(name string) bool {
	return slices.ContainsFunc(d.all.Namespaces, func(n *corev1.Namespace) bool { return n.Name == name })
}

// served records that a want was read, with a gap for every kind that the dump does not hold at all.
func (d *Dump) served(w cluster.Want, into *cluster.Snapshot, kinds ...string) {
	into.Read = append(into.Read, w)
	for _, k := range kinds {
		if !d.kinds[k] {
			into.Gaps = append(into.Gaps, cluster.Gap{Want: w, Resource: pluralOf(k), Reason: cluster.GapNotInDump})
		}
	}
}

func (d *Dump) servePods(w cluster.Want, into *cluster.Snapshot, have map[any]bool) {
	names := map[cluster.Ref]bool{}
	found := &cluster.Snapshot{}
	for _, p := range d.all.Pods {
		if p.Spec.NodeName == w.Name {
			found.Pods = append(found.Pods, p)
			names[cluster.Ref{Kind: "Pod", Namespace: p.Namespace, Name: p.Name}] = true
		}
	}
	for _, e := range d.all.Events {
		if names[e.About] {
			found.Events = append(found.Events, e)
		}
	}
	merge(found, into, have)
	d.served(w, into, "Pod")
}

func (d *Dump) serveObject(w cluster.Want, into *cluster.Snapshot, have map[any]bool) {
	found := &cluster.Snapshot{}
	if p := d.parts[w.Namespace]; p != nil {
		eachList(p, func(field int, list reflect.Value) {
			for i := range list.Len() {
				o, ok := list.Index(i).Interface().(metav1.Object)
				if ok && o.GetName() == w.Name && kindOf(o) == w.Kind {
					to := reflect.ValueOf(found).Elem().Field(field)
					to.Set(reflect.Append(to, list.Index(i)))
				}
			}
		})
	}
	n := 0
	eachList(found, func(_ int, list reflect.Value) { n += list.Len() })
	switch {
	case n > 0:
		merge(found, into, have)
		into.Read = append(into.Read, w)
	case d.kinds[w.Kind]:
		into.Gaps = append(into.Gaps, cluster.Gap{Want: w, Reason: cluster.GapNotFound})
	default:
		into.Gaps = append(into.Gaps, cluster.Gap{Want: w, Reason: cluster.GapNotInDump})
	}
}

// merge appends what into does not have yet.
func merge(from, into *cluster.Snapshot, have map[any]bool) {
	to := reflect.ValueOf(into).Elem()
	eachList(from, func(field int, list reflect.Value) {
		for i := range list.Len() {
			o := list.Index(i)
			if !have[o.Interface()] {
				have[o.Interface()] = true
				to.Field(field).Set(reflect.Append(to.Field(field), o))
			}
		}
	})
}

// Find returns the objects of the dump that a query fits.
func (d *Dump) Find(_ context.Context, q cluster.Query) ([]cluster.Found, error) {
	const most = 20
	var near, far []cluster.Found
	eachList(d.all, func(_ int, list reflect.Value) {
		for i := range list.Len() {
			o, ok := list.Index(i).Interface().(metav1.Object)
			if !ok || o.GetName() != q.Name || !wanted(kindOf(o), q.Kind) || q.Namespace != "" && o.GetNamespace() != "" && o.GetNamespace() != q.Namespace {
				continue
			}
			f := cluster.Found{Ref: cluster.Ref{Kind: kindOf(o), Namespace: o.GetNamespace(), Name: o.GetName()}, APIVersion: typed[kindOf(o)].version, UID: string(o.GetUID())}
			if o.GetNamespace() == "" || q.DefaultNamespace == "" || o.GetNamespace() == q.DefaultNamespace {
				near = append(near, f)
			} else {
				far = append(far, f)
			}
		}
	})
	if len(near) == 0 {
		near = far
	}
	return near[:min(len(near), most)], nil
}

// wanted says that a kind is what a query's word means.
func wanted(kind, word string) bool {
	if word == "" {
		return slices.Contains(cluster.BareKinds(), kind)
	}
	word = strings.ToLower(word)
	if strings.EqualFold(kind, word) || pluralOf(kind) == word {
		return true
	}
	k, ok := plurals[word]
	return ok && k.kind == kind
}
