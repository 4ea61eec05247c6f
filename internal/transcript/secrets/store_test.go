package secrets_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/transcript"
	"github.com/eclusier/eclusier/internal/transcript/secrets"
	"github.com/eclusier/eclusier/internal/transcript/transcripttest"
	"github.com/eclusier/eclusier/test/controlplane"
)

// server is a real API server, shared by the tests of this package.
var server client.WithWatch

func TestMain(m *testing.M) {
	os.Exit(controlplane.Run(m, func(*controlplane.Frozen) {}, controlplane.Install(func(_ context.Context, f *controlplane.Frozen) (err error) {
		f.Config.QPS = -1
		server, err = client.NewWithWatch(f.Config, client.Options{})
		return err
	})))
}

// room makes a namespace for one test.
func room(tb testing.TB) string {
	tb.Helper()
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "kept-"}}
	if err := server.Create(tb.Context(), n); err != nil {
		tb.Fatal(err)
	}
	return n.Name
}

func TestStore_keepsTheContract(t *testing.T) {
	transcripttest.Contract(t, func(t *testing.T, now func() time.Time) transcript.Store { return secrets.New(server, room(t), now) })
}

// writes counts the requests that change something, and fails one of them.
type writes struct {
	count int
	// failing is the number of the request that fails, from 1; reaching says that it reaches the server all the same.
	failing  int
	reaching bool
}

var errCrash = errors.New("the process ended")

func (w *writes) do(request func() error) error {
	w.count++
	if w.count < w.failing || w.failing == 0 {
		return request()
	}
	// Whoever has crashed writes nothing more.
	if w.count == w.failing && w.reaching {
		_ = request()
	}
	return errCrash
}

func (w *writes) client() client.Client {
	return interceptor.NewClient(server, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return w.do(func() error { return c.Create(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return w.do(func() error { return c.Update(ctx, o, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return w.do(func() error { return c.Delete(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return w.do(func() error { return c.Patch(ctx, o, p, opts...) })
		},
	})
}

func count(t *testing.T, namespace string) int {
	t.Helper()
	list := &corev1.SecretList{}
	if err := server.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	return len(list.Items)
}

func later() time.Time { return time.Now().Add(2 * time.Hour) }

func gone(transcript.Entry) transcript.Standing { return transcript.Standing{} }

func TestStore_Put_writesOnceWhatIsSmall(t *testing.T) {
	tests := []struct {
		name    string
		content []byte
		want    int
	}{
		{"an empty plan", nil, 1},
		{"a plan of 500 KiB that cannot be packed", transcripttest.Noise(500 << 10), 1},
		{"a plan of 10 MiB that packs well", bytes.Repeat([]byte("image: web:1\n"), 10<<20/13), 1},
		{"a plan of 1 MiB that cannot be packed", transcripttest.Noise(1 << 20), 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := &writes{}
			namespace := room(t)
			s := secrets.New(w.client(), namespace, time.Now)
			for range 2 {
				if _, err := s.Put(t.Context(), transcripttest.Key("web", 1), nil, tt.content); err != nil {
					t.Fatal(err)
				}
			}
			if got := count(t, namespace); got != tt.want {
				t.Errorf("got %d Secrets, want %d", got, tt.want)
			}
			// The second Put of one Secret asks by creating it; that of several looks first.
			if again := w.count - tt.want; again > 1 {
				t.Errorf("the second Put asked for %d writes", again)
			}
		})
	}
}

// TestStore_crash ends the process at every write of a Put over nothing and over something else, before and after the
// write reached the server.
func TestStore_crash(t *testing.T) {
	small, large, larger := []byte("plan"), transcripttest.Noise(1<<20), transcripttest.Noise(3<<19)
	tests := []struct {
		name          string
		before, after []byte
	}{
		{"a small plan", nil, small},
		{"a large plan", nil, large},
		{"a small plan over a small one", []byte("former"), small},
		{"a large plan over a small one", small, large},
		{"a small plan over a large one", large, small},
		{"a large plan over a large one", large, larger},
	}
	for _, tt := range tests {
		for _, reaching := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/reaching=%v", tt.name, reaching), func(t *testing.T) {
				for point := 1; ; point++ {
					if crashAt(t, &writes{failing: point, reaching: reaching}, tt.before, tt.after) {
						break
					}
				}
			})
		}
	}
}

// crashAt says whether the Put ended before its point was reached, so that there are no more points.
func crashAt(t *testing.T, w *writes, before, after []byte) bool {
	t.Helper()
	namespace, key := room(t), transcripttest.Key("web", 1)
	healthy := secrets.New(server, namespace, time.Now)
	if before != nil {
		if _, err := healthy.Put(t.Context(), key, nil, before); err != nil {
			t.Fatal(err)
		}
	}
	_, err := secrets.New(w.client(), namespace, time.Now).Put(t.Context(), key, nil, after)
	ended := err == nil
	if !ended && !errors.Is(err, errCrash) {
		t.Fatalf("write %d: %v", w.failing, err)
	}
	got, err := healthy.Get(t.Context(), key)
	switch {
	case err != nil && (before != nil || ended || !fault.Is(err, fault.NotFound)):
		t.Fatalf("write %d: %v", w.failing, err)
	case err == nil && !bytes.Equal(got, after) && (ended || before == nil || !bytes.Equal(got, before)):
		t.Fatalf("write %d: got neither what was nor what is to be", w.failing)
	}
	if _, err := healthy.Put(t.Context(), key, nil, after); err != nil {
		t.Fatalf("write %d, once more: %v", w.failing, err)
	}
	if got, err := healthy.Get(t.Context(), key); err != nil || !bytes.Equal(got, after) {
		t.Fatalf("write %d, once more: got %d bytes (%v)", w.failing, len(got), err)
	}
	leavesNothing(t, namespace, key, after)
	return ended
}

// leavesNothing sweeps away what a crash left, and nothing else.
func leavesNothing(t *testing.T, namespace string, key transcript.Key, content []byte) {
	t.Helper()
	if _, err := secrets.New(server, namespace, later).Sweep(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	healthy := secrets.New(server, namespace, time.Now)
	if got, err := healthy.Get(t.Context(), key); err != nil || !bytes.Equal(got, content) {
		t.Fatalf("after the sweep: got %d bytes (%v)", len(got), err)
	}
	undisturbed := room(t)
	if _, err := secrets.New(server, undisturbed, time.Now).Put(t.Context(), key, nil, content); err != nil {
		t.Fatal(err)
	}
	if got, want := count(t, namespace), count(t, undisturbed); got != want {
		t.Errorf("after the sweep: %d Secrets, want the %d that it takes", got, want)
	}
	if err := healthy.Drop(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if left := count(t, namespace); left != 0 {
		t.Errorf("%d Secrets are left", left)
	}
}

func TestStore_Drop_interruptedLeavesNothingThatCanBeRead(t *testing.T) {
	for point := 1; point <= 4; point++ {
		namespace, key := room(t), transcripttest.Key("web", 1)
		healthy := secrets.New(server, namespace, time.Now)
		if _, err := healthy.Put(t.Context(), key, nil, transcripttest.Noise(1<<20)); err != nil {
			t.Fatal(err)
		}
		w := &writes{failing: point, reaching: true}
		if err := secrets.New(w.client(), namespace, time.Now).Drop(t.Context(), key); !errors.Is(err, errCrash) {
			t.Fatalf("write %d: %v", point, err)
		}
		if _, err := healthy.Get(t.Context(), key); !fault.Is(err, fault.NotFound) {
			t.Errorf("write %d: got %v, want that nothing is kept", point, err)
		}
		if _, err := secrets.New(server, namespace, later).Sweep(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		if left := count(t, namespace); left != 0 {
			t.Errorf("write %d: %d Secrets are left after a sweep", point, left)
		}
	}
}

func TestStore_Sweep_leavesAPutThatGoesOnAlone(t *testing.T) {
	namespace, key := room(t), transcripttest.Key("web", 1)
	w := &writes{failing: 4} // its last write, that of the head
	content := transcripttest.Noise(1 << 20)
	if _, err := secrets.New(w.client(), namespace, time.Now).Put(t.Context(), key, nil, content); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	s := secrets.New(server, namespace, time.Now)
	if _, err := s.Sweep(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	if got := count(t, namespace); got != 3 {
		t.Errorf("%d chunks are left of 3 that are being written", got)
	}
}

func TestStore_Sweep_goesOnPastWhatItMayNotRemove(t *testing.T) {
	namespace := room(t)
	s := secrets.New(server, namespace, time.Now)
	for i := range transcript.KeepPerObject + 3 {
		web := transcript.Object{Kind: "Deployment", Namespace: "shop", Name: "web"}
		if _, err := s.Put(t.Context(), transcripttest.Key(fmt.Sprintf("web-%d", i), 1), []transcript.Object{web}, nil); err != nil {
			t.Fatal(err)
		}
	}
	failed := false
	blocked := interceptor.NewClient(server, interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			if !failed {
				failed = true
				return errCrash
			}
			return c.Delete(ctx, o, opts...)
		},
	})
	removed, err := secrets.New(blocked, namespace, time.Now).Sweep(t.Context(), gone)
	if removed != 2 || !errors.Is(err, errCrash) {
		t.Errorf("removed %d (%v), want 2 of 3 and the error of the other", removed, err)
	}
}

func TestStore_readsEveryPageOfALongList(t *testing.T) {
	const many = 520
	s := secrets.New(server, room(t), later)
	for i := range int32(many) {
		if _, err := s.Put(t.Context(), transcripttest.Key("web", i+1), nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := s.List(t.Context(), transcript.KindPlan, "shop"); err != nil || len(entries) != many {
		t.Errorf("listed %d of %d (%v)", len(entries), many, err)
	}
	if removed, err := s.Sweep(t.Context(), gone); err != nil || removed != many-1 {
		t.Errorf("removed %d of %d former revisions (%v)", removed, many-1, err)
	}
}

// TestStore_neverSaysThatTheChangeIsGone holds the store to faults of its own: controllers take the API server's 404 for
// the end of the object that they work on.
func TestStore_neverSaysThatTheChangeIsGone(t *testing.T) {
	key, namespace := transcripttest.Key("web", 1), room(t)
	s := secrets.New(server, namespace, time.Now)
	_, missing := s.Get(t.Context(), key)
	_, homeless := secrets.New(server, "nowhere", time.Now).Put(t.Context(), key, nil, nil)
	_, homelessChunks := secrets.New(server, "nowhere", time.Now).Put(t.Context(), key, nil, transcripttest.Noise(1<<20))
	if _, err := s.Put(t.Context(), key, nil, []byte("former")); err != nil {
		t.Fatal(err)
	}
	removing := interceptor.NewClient(server, interceptor.Funcs{
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			if err := s.Drop(ctx, key); err != nil {
				return err
			}
			return c.Update(ctx, o, opts...)
		},
	})
	_, raced := secrets.New(removing, namespace, time.Now).Put(t.Context(), key, nil, []byte("ours"))
	tests := []struct {
		name  string
		err   error
		retry bool
	}{
		{"nothing is kept", missing, false},
		{"the namespace does not exist", homeless, true},
		{"the namespace does not exist, for chunks", homelessChunks, true},
		{"somebody removes what is being replaced", raced, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.err == nil || apierrors.IsNotFound(tt.err) || fault.IsRetry(tt.err) != tt.retry {
				t.Errorf("got %v, want a fault of the store's own that may be tried again: %v", tt.err, tt.retry)
			}
		})
	}
}

func TestStore_Put_ofTwoAtOnceKeepsOne(t *testing.T) {
	namespace, key := room(t), transcripttest.Key("web", 1)
	s := secrets.New(server, namespace, time.Now)
	if _, err := s.Put(t.Context(), key, nil, []byte("former")); err != nil {
		t.Fatal(err)
	}
	between := interceptor.NewClient(server, interceptor.Funcs{
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			if _, err := s.Put(ctx, key, nil, []byte("the other's")); err != nil {
				return err
			}
			return c.Update(ctx, o, opts...)
		},
	})
	if _, err := secrets.New(between, namespace, time.Now).Put(t.Context(), key, nil, []byte("ours")); !fault.Is(err, fault.Conflict) || !fault.IsRetry(err) {
		t.Errorf("got %v, want a conflict that may be tried again", err)
	}
	if got, err := s.Get(t.Context(), key); err != nil || string(got) != "the other's" {
		t.Errorf("got %q (%v)", got, err)
	}
}
