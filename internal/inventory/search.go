package inventory

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/eclusier/eclusier/internal/cluster"
)

// Query says what to search for, and where.
type Query struct {
	// Text is searched for without regard to case; with Regex it is a regular expression (RE2).
	Text  string
	Regex bool
	// Names restricts the search to the names of objects.
	Names bool
	// Namespace, Kind and Labels (a selector such as app=web,tier!=cache) restrict it to some objects; empty means any.
	Namespace string
	Kind      string
	Labels    string
	// Since restricts it to objects made and events seen after that moment, if it is not zero.
	Since time.Time
}

// Hit is one place that the text was found in.
type Hit struct {
	cluster.Ref
	// Field is where: name, label, annotation, env, image or event.
	Field string `json:"field"`
	// Text is what is written there, redacted.
	Text string `json:"text"`
}

// Search looks for a text in names, labels, annotations, names of variables, images and messages of events. It fails only
// for a regular expression or a selector that makes no sense.
func Search(s *cluster.Snapshot, q Query) (Page[Hit], error) {
	pattern := q.Text
	if !q.Regex {
		pattern = "(?i)" + regexp.QuoteMeta(q.Text)
	}
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return Page[Hit]{}, fmt.Errorf("%q is no regular expression: %w", q.Text, err)
	}
	selector, err := labels.Parse(q.Labels)
	if err != nil {
		return Page[Hit]{}, fmt.Errorf("%q is no label selector: %w", q.Labels, err)
	}
	f := &finder{expression: expression, seen: map[Hit]bool{}}
	makers := makersOf(s)
	selected := map[cluster.Ref]bool{}
	for _, e := range entries(s) {
		if !e.within(q.Namespace, q.Kind) || !selector.Matches(labels.Set(e.object.GetLabels())) {
			continue
		}
		selected[e.ref] = true
		if e.object.GetCreationTimestamp().Time.Before(q.Since) {
			continue
		}
		f.look(e.ref, "name", e.ref.Name)
		if !q.Names {
			f.fields(e, makers[e.ref])
		}
	}
	if !q.Names {
		f.events(s, q, selected)
	}
	slices.SortStableFunc(f.hits, func(a, b Hit) int {
		return cmp.Or(compareRefs(a.Ref, b.Ref), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Text, b.Text))
	})
	return pageOf(f.hits, MaxItems), nil
}

// finder collects hits.
type finder struct {
	expression *regexp.Regexp
	seen       map[Hit]bool
	hits       []Hit
}

// look searches redacted text only, so that no answer depends on a secret.
func (f *finder) look(ref cluster.Ref, field, text string) {
	text = clean(text)
	hit := Hit{Ref: ref, Field: field, Text: text}
	if f.expression.MatchString(text) && !f.seen[hit] {
		f.seen[hit] = true
		f.hits = append(f.hits, hit)
	}
}

func (f *finder) fields(e entry, m *maker) {
	for k, v := range e.object.GetLabels() {
		f.look(e.ref, "label", k+"="+v)
	}
	_, secret := e.object.(*cluster.Secret)
	for k, v := range e.object.GetAnnotations() {
		switch {
		case k == corev1.LastAppliedConfigAnnotation:
		case secret: // tools keep copies of the whole object in annotations
			f.look(e.ref, "annotation", k)
		default:
			f.look(e.ref, "annotation", k+"="+beside(k, v))
		}
	}
	if m == nil {
		return
	}
	for _, list := range [][]corev1.Container{m.spec.InitContainers, m.spec.Containers} {
		for i := range list {
			f.look(e.ref, "image", list[i].Image)
			for _, v := range list[i].Env {
				f.look(e.ref, "env", v.Name)
			}
		}
	}
}

// events searches the messages of events about the selected objects. Events outlive what they are about, so that without
// a selector it need not be there any more.
func (f *finder) events(s *cluster.Snapshot, q Query, selected map[cluster.Ref]bool) {
	for _, e := range s.Events {
		about := (q.Namespace == "" || e.About.Namespace == q.Namespace) && (q.Kind == "" || IsKind(e.About.Kind, q.Kind))
		if about && (q.Labels == "" || selected[e.About]) && !e.Last.Before(q.Since) {
			f.look(e.About, "event", strings.TrimSpace(e.Reason+": "+e.Message))
		}
	}
}
