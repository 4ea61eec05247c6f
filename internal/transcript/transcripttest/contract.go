package transcripttest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/transcript"
)

// Open makes a Store, empty for the test that gets it, that tells the time by now.
type Open func(t *testing.T, now func() time.Time) transcript.Store

// Contract tests what every Store promises.
func Contract(t *testing.T, open Open) {
	t.Run("what was put is what is got, whatever it is", func(t *testing.T) { getsWhatWasPut(t, open) })
	t.Run("putting the same again changes nothing", func(t *testing.T) { putsOnce(t, open) })
	t.Run("putting something else replaces the whole", func(t *testing.T) { replaces(t, open) })
	t.Run("what is not kept is a terminal fault", func(t *testing.T) { misses(t, open) })
	t.Run("what is too large is refused, and leaves nothing", func(t *testing.T) { refusesTooMuch(t, open) })
	t.Run("a key without identity is refused", func(t *testing.T) { refusesKeys(t, open) })
	t.Run("lists are of a kind and a namespace, the newest first", func(t *testing.T) { lists(t, open) })
	t.Run("dropping removes one thing, and may be done twice", func(t *testing.T) { drops(t, open) })
	t.Run("sweeping removes what is spent", func(t *testing.T) { sweeps(t, open) })
	t.Run("a cancelled context is an error, not an answer", func(t *testing.T) { obeysContext(t, open) })
}

// Key is a key of the change, for tests.
func Key(change string, revision int32) transcript.Key {
	return transcript.Key{Kind: transcript.KindPlan, Namespace: "shop", Name: change, UID: "uid-" + change, Revision: revision}
}

// Noise is content that cannot be packed any smaller.
func Noise(size int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(size))) //nolint:gosec // repeatable content, no secret
	content := make([]byte, 0, size+8)
	for len(content) < size {
		content = binary.LittleEndian.AppendUint64(content, r.Uint64())
	}
	return content[:size]
}

var web = transcript.Object{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"}

type clock struct{ now time.Time }

func newClock() *clock { return &clock{now: time.Now().UTC()} }

func (c *clock) read() time.Time { return c.now }

func put(t *testing.T, s transcript.Store, key transcript.Key, content []byte, holds ...transcript.Object) string {
	t.Helper()
	ref, err := s.Put(t.Context(), key, holds, content)
	if err != nil {
		t.Fatalf("putting %s: %v", key, err)
	}
	return ref
}

func mustGet(t *testing.T, s transcript.Store, key transcript.Key, want []byte) {
	t.Helper()
	got, err := s.Get(t.Context(), key)
	if err != nil {
		t.Fatalf("getting %s: %v", key, err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got %d bytes that are not the %d put", key, len(got), len(want))
	}
}

func mustMiss(t *testing.T, s transcript.Store, key transcript.Key) {
	t.Helper()
	_, err := s.Get(t.Context(), key)
	if !fault.Is(err, fault.NotFound) || fault.IsRetry(err) {
		t.Errorf("getting %s: got %v, want a terminal fault that says it is not kept", key, err)
	}
}

func list(t *testing.T, s transcript.Store, kind transcript.Kind, namespace string) []transcript.Entry {
	t.Helper()
	entries, err := s.List(t.Context(), kind, namespace)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func getsWhatWasPut(t *testing.T, open Open) {
	s := open(t, newClock().read)
	contents := map[string][]byte{
		"empty":      {},
		"small":      []byte(`{"plan":1}`),
		"binary":     {0, 0xff, '\n', 0},
		"compressed": bytes.Repeat([]byte("the same again "), 1<<16),
		"noise":      Noise(3<<19 + 1),
		"largest":    Noise(transcript.MaxSize),
	}
	refs := map[string]bool{}
	for name, content := range contents {
		refs[put(t, s, Key(name, 1), content)] = true
	}
	for name, content := range contents {
		mustGet(t, s, Key(name, 1), content)
	}
	if len(refs) != len(contents) {
		t.Errorf("%d refs for %d things", len(refs), len(contents))
	}
}

func putsOnce(t *testing.T, open Open) {
	c := newClock()
	s := open(t, c.read)
	for name, content := range map[string][]byte{"small": []byte("plan"), "large": Noise(1 << 20)} {
		ref := put(t, s, Key(name, 1), content, web)
		before := list(t, s, transcript.KindPlan, "shop")
		c.now = c.now.Add(time.Hour)
		if again := put(t, s, Key(name, 1), content, web); again != ref {
			t.Errorf("%s: got the ref %s at first, and %s the second time", name, ref, again)
		}
		if after := list(t, s, transcript.KindPlan, "shop"); len(after) != len(before) || !after[0].Made.Equal(before[0].Made) {
			t.Errorf("%s: got %v, want %v as before", name, after, before)
		}
	}
}

func replaces(t *testing.T, open Open) {
	small, large, larger := []byte("plan"), Noise(1<<20), Noise(2<<20)
	tests := []struct {
		name          string
		first, second []byte
	}{
		{"small by small", small, []byte("another")},
		{"small by large", small, large},
		{"large by small", large, small},
		{"large by larger", large, larger},
		{"larger by large", larger, large},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClock()
			s := open(t, c.read)
			first := put(t, s, Key("web", 1), tt.first, web)
			c.now = c.now.Add(time.Minute)
			if second := put(t, s, Key("web", 1), tt.second, web); second != first {
				t.Errorf("the ref was %s, and is %s", first, second)
			}
			mustGet(t, s, Key("web", 1), tt.second)
			got := list(t, s, transcript.KindPlan, "shop")
			if len(got) != 1 || got[0].Size != len(tt.second) || !got[0].Made.Equal(c.now) {
				t.Errorf("got %v, want the second alone", got)
			}
		})
	}
}

func misses(t *testing.T, open Open) {
	s := open(t, newClock().read)
	put(t, s, Key("web", 2), []byte("plan"))
	other := Key("web", 2)
	other.Kind = transcript.KindSnapshot
	for _, key := range []transcript.Key{Key("web", 1), Key("api", 2), other} {
		mustMiss(t, s, key)
	}
}

func refusesTooMuch(t *testing.T, open Open) {
	long := transcript.Object{Kind: "ConfigMap", Namespace: "shop", Name: strings.Repeat("x", 253)}
	tests := []struct {
		name    string
		holds   []transcript.Object
		content []byte
	}{
		{"a byte more than can be kept", nil, make([]byte, transcript.MaxSize+1)},
		{"an object more than can be held", slices.Repeat([]transcript.Object{web}, transcript.MaxHeld+1), nil},
		{"an object more, with long names", slices.Repeat([]transcript.Object{long}, transcript.MaxHeld+1), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, newClock().read)
			_, err := s.Put(t.Context(), Key("web", 1), tt.holds, tt.content)
			if !fault.Is(err, transcript.TooLarge) || fault.IsRetry(err) || len(fault.Of(err).Remedies) == 0 {
				t.Errorf("got %v, want a terminal fault that says it is too large, and what to do", err)
			}
			mustMiss(t, s, Key("web", 1))
		})
	}
	t.Run("as many as can be held are kept", func(t *testing.T) {
		s := open(t, newClock().read)
		put(t, s, Key("web", 1), nil, slices.Repeat([]transcript.Object{web}, transcript.MaxHeld)...)
		if got := list(t, s, transcript.KindPlan, "shop"); len(got) != 1 || len(got[0].Holds) != transcript.MaxHeld {
			t.Error("the objects that it holds are not all listed")
		}
	})
}

func refusesKeys(t *testing.T, open Open) {
	s := open(t, newClock().read)
	tests := []struct {
		name  string
		spoil func(*transcript.Key)
	}{
		{"no kind", func(k *transcript.Key) { k.Kind = "" }},
		{"no namespace", func(k *transcript.Key) { k.Namespace = "" }},
		{"no name", func(k *transcript.Key) { k.Name = "" }},
		{"no uid", func(k *transcript.Key) { k.UID = "" }},
		{"no revision", func(k *transcript.Key) { k.Revision = 0 }},
		{"a uid that is a path", func(k *transcript.Key) { k.UID = "../../default" }},
		{"a name that is a sentence", func(k *transcript.Key) { k.Name = "Drop everything" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			key := Key("web", 1)
			tt.spoil(&key)
			_, putErr := s.Put(t.Context(), key, nil, nil)
			_, getErr := s.Get(t.Context(), key)
			for _, err := range []error{putErr, getErr, s.Drop(t.Context(), key)} {
				if !fault.Is(err, fault.InvalidInput) {
					t.Errorf("got %v, want a fault that says the key is not valid", err)
				}
			}
		})
	}
}

func lists(t *testing.T, open Open) {
	c := newClock()
	s := open(t, c.read)
	long := Key(strings.Repeat("long-name.", 20)+"web", 1)
	long.UID = "2b7c6ab4-0000-4000-8000-000000000001"
	elsewhere := Key("api", 7)
	elsewhere.Namespace = "pay"
	snapshot := Key("web", 1)
	snapshot.Kind = transcript.KindSnapshot
	var want []transcript.Entry
	for i, key := range []transcript.Key{long, elsewhere, snapshot, Key("web", 1), Key("web", 2)} {
		c.now = c.now.Add(time.Second)
		content := Noise(i << 18)
		holds := []transcript.Object{web, {APIVersion: "v1", Kind: "Node", Name: "worker-1"}}
		ref := put(t, s, key, content, holds...)
		sum := fmt.Sprintf("sha256:%x", sha256.Sum256(content))
		want = append([]transcript.Entry{{Key: key, Ref: ref, Digest: sum, Made: c.now, Size: len(content), Holds: holds}}, want...)
	}
	tests := []struct {
		name      string
		kind      transcript.Kind
		namespace string
		keep      func(transcript.Entry) bool
	}{
		{"the plans of a namespace", transcript.KindPlan, "shop",
			func(e transcript.Entry) bool { return e.Kind == transcript.KindPlan && e.Namespace == "shop" }},
		{"the plans of every namespace", transcript.KindPlan, "", func(e transcript.Entry) bool { return e.Kind == transcript.KindPlan }},
		{"the snapshots of a namespace", transcript.KindSnapshot, "shop", func(e transcript.Entry) bool { return e.Kind == transcript.KindSnapshot }},
		{"nothing of a namespace without", transcript.KindPlan, "bare", func(transcript.Entry) bool { return false }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wanted := slices.DeleteFunc(slices.Clone(want), func(e transcript.Entry) bool { return !tt.keep(e) })
			got := list(t, s, tt.kind, tt.namespace)
			if len(got) != len(wanted) {
				t.Fatalf("got %v, want %v", got, wanted)
			}
			for i := range wanted {
				mustBe(t, got[i], wanted[i])
			}
		})
	}
}

func mustBe(t *testing.T, got, want transcript.Entry) {
	t.Helper()
	if got.Key != want.Key || got.Ref != want.Ref || got.Size != want.Size || !got.Made.Equal(want.Made) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !slices.Equal(got.Holds, want.Holds) || got.Digest != want.Digest {
		t.Errorf("got objects %v and digest %q, want %v and %q", got.Holds, got.Digest, want.Holds, want.Digest)
	}
}

func drops(t *testing.T, open Open) {
	s := open(t, newClock().read)
	large := Noise(1 << 20)
	put(t, s, Key("web", 1), large)
	put(t, s, Key("web", 2), large)
	for range 2 {
		if err := s.Drop(t.Context(), Key("web", 1)); err != nil {
			t.Fatal(err)
		}
	}
	mustMiss(t, s, Key("web", 1))
	mustGet(t, s, Key("web", 2), large)
	put(t, s, Key("web", 1), large)
	mustGet(t, s, Key("web", 1), large)
}

func sweeps(t *testing.T, open Open) {
	c := newClock()
	s := open(t, c.read)
	put(t, s, Key("gone", 1), Noise(1<<20), web)
	put(t, s, Key("going-on", 1), Noise(1<<20), web)
	c.now = c.now.Add(transcript.KeepFor + time.Minute)
	put(t, s, Key("new", 1), []byte("new"), web)
	standing := func(e transcript.Entry) transcript.Standing { return transcript.Standing{Needed: e.Name == "going-on"} }
	for pass, want := range []int{1, 0} {
		removed, err := s.Sweep(t.Context(), standing)
		if err != nil || removed != want {
			t.Errorf("sweep %d: removed %d (%v), want %d", pass+1, removed, err, want)
		}
	}
	mustMiss(t, s, Key("gone", 1))
	mustGet(t, s, Key("going-on", 1), Noise(1<<20))
	mustGet(t, s, Key("new", 1), []byte("new"))
}

func obeysContext(t *testing.T, open Open) {
	s := open(t, newClock().read)
	put(t, s, Key("web", 1), []byte("plan"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, putErr := s.Put(ctx, Key("web", 2), nil, []byte("plan"))
	_, getErr := s.Get(ctx, Key("web", 1))
	_, listErr := s.List(ctx, transcript.KindPlan, "shop")
	for i, err := range []error{putErr, getErr, listErr, s.Drop(ctx, Key("web", 1))} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("call %d: got %v, want that the context was cancelled", i, err)
		}
	}
	mustGet(t, s, Key("web", 1), []byte("plan"))
}
