package live

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/fault"
)

// jobs returns the requests that serve a want, which is one of wants.
func (r *Reader) jobs(into *cluster.Snapshot, wants []cluster.Want, want cluster.Want) []job {
	switch want.What {
	case cluster.WantNamespace:
		jobs := []job{r.object(want, namespaces, client.ObjectKey{Name: want.Namespace})}
		for _, resource := range slices.Concat(namespaced, services) {
			jobs = append(jobs, r.list(want, resource, client.InNamespace(want.Namespace)))
		}
		return append(jobs, r.events(want, want.Namespace))
	case cluster.WantCluster:
		var jobs []job
		for _, resource := range clusterScoped {
			jobs = append(jobs, r.list(want, resource))
		}
		ofDefault := cluster.Want{What: cluster.WantNamespace, Namespace: metav1.NamespaceDefault}
		if !slices.Contains(wants, ofDefault) && !slices.Contains(into.Read, ofDefault) {
			jobs = append(jobs, r.events(want, metav1.NamespaceDefault))
		}
		return jobs
	case cluster.WantServices:
		var jobs []job
		for _, resource := range services {
			jobs = append(jobs, r.list(want, resource))
		}
		return jobs
	case cluster.WantPodsOnNode:
		pods, _ := byKind("Pod")
		return []job{r.list(want, pods, client.MatchingFields{"spec.nodeName": want.Name})}
	case cluster.WantLog:
		return []job{{want: want, resource: "pods/log", run: func(ctx context.Context) (outcome, error) { return r.tail(ctx, want) }}}
	case cluster.WantObject:
		return []job{r.anyObject(want)}
	}
	return nil
}

// list reads one resource page by page.
func (r *Reader) list(want cluster.Want, resource resource, options ...client.ListOption) job {
	return job{want: want, resource: resource.plural, run: func(ctx context.Context) (outcome, error) {
		read, err := r.all(ctx, resource.plural, resource.newList, options)
		if err != nil {
			return outcome{}, err
		}
		return outcome{truncated: read.truncated, store: func(s *cluster.Snapshot) {
			held := known(resource.held(s))
			for _, o := range read.objects {
				if !held[client.ObjectKeyFromObject(o)] {
					resource.add(s, o)
				}
			}
		}}, nil
	}}
}

// all returns a list as it was read for another question of the same account, or reads it.
func (r *Reader) all(ctx context.Context, plural string, newList func() client.ObjectList, options []client.ListOption) (reading, error) {
	what := listed{account: r.account, resource: plural, selection: selection(options)}
	now := r.options.Now()
	if r.memory != nil {
		if read, ok := r.memory.recall(what, r.asked, now); ok {
			return read, nil
		}
	}
	objects, truncated, err := r.pages(ctx, newList, options)
	read := reading{began: now, objects: objects, truncated: truncated}
	if err == nil && r.memory != nil {
		r.memory.keep(what, read)
	}
	return read, err
}

// selection says which part of a resource the options select.
func selection(options []client.ListOption) string {
	var o client.ListOptions
	o.ApplyOptions(options)
	if o.FieldSelector == nil {
		return o.Namespace
	}
	return o.Namespace + "?" + o.FieldSelector.String()
}

// pages reads a list to its end or to the limit, and says whether there was more. A list that changes faster than it can
// be read is kept as far as it was read.
func (r *Reader) pages(ctx context.Context, newList func() client.ObjectList, options []client.ListOption) ([]client.Object, bool, error) {
	var objects []client.Object
	token := ""
	for {
		list := newList()
		err := r.page(ctx, list, append(slices.Clone(options), client.Limit(r.options.PageSize), client.Continue(token)))
		if err != nil {
			if len(objects) > 0 && fault.IsRetry(err) {
				return objects, true, nil
			}
			return nil, false, err
		}
		err = meta.EachListItem(list, func(o runtime.Object) error {
			object := o.(client.Object)
			strip(object)
			objects = append(objects, object)
			return nil
		})
		if err != nil {
			return nil, false, err
		}
		if token = list.GetContinue(); token == "" {
			return objects, false, nil
		}
		if len(objects) >= r.options.MaxObjects {
			return objects, true, nil
		}
	}
}

func (r *Reader) page(ctx context.Context, list client.ObjectList, options []client.ListOption) error {
	ctx, cancel := r.bounded(ctx)
	defer cancel()
	return r.objects.List(ctx, list, options...)
}

// object reads one object of a kind that the snapshot has a list for.
func (r *Reader) object(want cluster.Want, resource resource, key client.ObjectKey) job {
	return job{want: want, resource: resource.plural, run: func(ctx context.Context) (outcome, error) {
		object := resource.newObject()
		if err := r.get(ctx, key, object); err != nil {
			return outcome{}, err
		}
		return outcome{store: func(s *cluster.Snapshot) {
			if !known(resource.held(s))[key] {
				resource.add(s, object)
			}
		}}, nil
	}}
}

func (r *Reader) get(ctx context.Context, key client.ObjectKey, object client.Object) error {
	ctx, cancel := r.bounded(ctx)
	defer cancel()
	err := r.objects.Get(ctx, key, object)
	strip(object)
	return err
}

// strip drops from an object that was just read what nobody is to see: who wrote which field, and from metadata, which is
// all that is read of a Secret, the annotation in which kubectl apply keeps a copy of the whole object, values included.
// Nothing is dropped later, when others may hold the same object (see memory).
func strip(object client.Object) {
	object.SetManagedFields(nil)
	if metadata, ok := object.(*metav1.PartialObjectMetadata); ok {
		delete(metadata.Annotations, corev1.LastAppliedConfigAnnotation)
	}
}

// anyObject reads one object of any kind that the cluster serves.
func (r *Reader) anyObject(want cluster.Want) job {
	key := client.ObjectKey{Namespace: want.Namespace, Name: want.Name}
	if resource, ok := byKind(want.Kind); ok {
		return r.object(want, resource, key)
	}
	return job{want: want, resource: want.Kind, run: func(ctx context.Context) (outcome, error) {
		kinds, err := r.kinds.lookup(want.Kind, "")
		if err != nil {
			return outcome{}, unknownKind(err)
		}
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(kinds[0].GroupVersionKind)
		if !kinds[0].namespaced {
			key.Namespace = ""
		}
		if err := r.get(ctx, key, object); err != nil {
			return outcome{}, err
		}
		return outcome{store: func(s *cluster.Snapshot) { s.Others = append(s.Others, object) }}, nil
	}}
}

// events reads the Events of a namespace. The API server serves both forms of Event in this one.
func (r *Reader) events(want cluster.Want, namespace string) job {
	newList := func() client.ObjectList { return &corev1.EventList{} }
	return job{want: want, resource: "events", run: func(ctx context.Context) (outcome, error) {
		read, err := r.all(ctx, "events", newList, []client.ListOption{client.InNamespace(namespace)})
		if err != nil {
			return outcome{}, err
		}
		return outcome{truncated: read.truncated, store: func(s *cluster.Snapshot) {
			for _, o := range read.objects {
				s.Events = append(s.Events, eventOf(o.(*corev1.Event)))
			}
		}}, nil
	}}
}
