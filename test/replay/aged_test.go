package replay

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/controllers/agenttask"
	"github.com/eclusier/eclusier/internal/cluster"
)

// ages are when the objects of a scenario were made, and since when they are being deleted: the only two things that an
// API server does not let anybody replay.
type ages map[cluster.Ref]metav1.ObjectMeta

func readAges(t *testing.T, folder string) ages {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "objects.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	out := ages{}
	for document := range bytes.SplitSeq(data, []byte("\n---\n")) {
		var o metav1.PartialObjectMetadata
		if err := yaml.Unmarshal(document, &o); err != nil {
			t.Fatal(err)
		}
		out[cluster.Ref{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}] = o.ObjectMeta
	}
	return out
}

// agedReaders hands out readers that give the objects their ages back.
type agedReaders struct {
	agenttask.Readers
	ages ages
}

func (r agedReaders) ReaderFor(account types.NamespacedName, asked time.Time) (cluster.Reader, error) {
	reader, err := r.Readers.ReaderFor(account, asked)
	return agedReader{reader, r.ages}, err
}

type agedReader struct {
	cluster.Reader
	ages ages
}

func (r agedReader) Read(ctx context.Context, into *cluster.Snapshot, wants []cluster.Want) error {
	err := r.Reader.Read(ctx, into, wants)
	lists := reflect.ValueOf(into).Elem()
	for i := range lists.NumField() {
		if lists.Field(i).Kind() != reflect.Slice {
			continue
		}
		for n := range lists.Field(i).Len() {
			if o, is := lists.Field(i).Index(n).Interface().(metav1.Object); is {
				r.ages.giveBack(o)
			}
		}
	}
	return err
}

func (a ages) giveBack(o metav1.Object) {
	kind := reflect.TypeOf(o).Elem().Name()
	if u, is := o.(*unstructured.Unstructured); is {
		kind = u.GetKind()
	}
	was, known := a[cluster.Ref{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()}]
	if !known {
		return
	}
	if !was.CreationTimestamp.IsZero() {
		o.SetCreationTimestamp(was.CreationTimestamp)
	}
	if was.DeletionTimestamp != nil {
		o.SetDeletionTimestamp(was.DeletionTimestamp)
	}
}
