package secrets_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/transcript"
	"github.com/eclusier/eclusier/internal/transcript/secrets"
	"github.com/eclusier/eclusier/internal/transcript/transcripttest"
)

// secretsOf returns the Secrets of the namespace, the head first.
func secretsOf(t *testing.T, namespace, head string) []*corev1.Secret {
	t.Helper()
	list := &corev1.SecretList{}
	if err := server.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	var all []*corev1.Secret
	for i := range list.Items {
		if s := &list.Items[i]; s.Name == head {
			all = append([]*corev1.Secret{s}, all...)
		} else {
			all = append(all, s)
		}
	}
	return all
}

func TestStore_Get_damaged(t *testing.T) {
	const annotation = "eclusier.io/kept-index"
	reindex := func(from, to string) func(*testing.T, []*corev1.Secret) error {
		return func(t *testing.T, all []*corev1.Secret) error {
			changed := strings.Replace(all[0].Annotations[annotation], from, to, 1)
			if changed == all[0].Annotations[annotation] {
				t.Fatalf("the index holds no %s: %s", from, changed)
			}
			all[0].Annotations[annotation] = changed
			return server.Update(t.Context(), all[0])
		}
	}
	refill := func(content []byte) func(*testing.T, []*corev1.Secret) error {
		return func(t *testing.T, all []*corev1.Secret) error {
			for key := range all[0].Data {
				all[0].Data[key] = content
			}
			return server.Update(t.Context(), all[0])
		}
	}
	small, large := []byte("plan"), transcripttest.Noise(1<<20)
	tests := []struct {
		name    string
		content []byte
		spoil   func(*testing.T, []*corev1.Secret) error
	}{
		{"a chunk is gone", large, func(t *testing.T, all []*corev1.Secret) error { return server.Delete(t.Context(), all[2]) }},
		{"the content is no gzip", small, refill([]byte("plan"))},
		{"the content is empty", small, refill(nil)},
		{"the digest is another", small, reindex(`"digest":"sha256:`, `"digest":"sha256:0`)},
		{"the content is longer than its size", small, reindex(`"size":4`, `"size":3`)},
		{"the content is shorter than its size", small, reindex(`"size":4`, `"size":5`)},
		{"the size is beyond all bounds", small, reindex(`"size":4`, `"size":4000000000`)},
		{"the size is negative", small, reindex(`"size":4`, `"size":-4`)},
		{"the chunks are beyond all bounds", large, reindex(`"chunks":3`, `"chunks":3000000`)},
		{"the index is gone", small, func(t *testing.T, all []*corev1.Secret) error {
			all[0].Annotations = nil
			return server.Update(t.Context(), all[0])
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			namespace, key := room(t), transcripttest.Key("web", 1)
			s := secrets.New(server, namespace, time.Now)
			ref, err := s.Put(t.Context(), key, nil, tt.content)
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.spoil(t, secretsOf(t, namespace, ref)); err != nil {
				t.Fatal(err)
			}
			_, err = s.Get(t.Context(), key)
			if !fault.Is(err, transcript.Damaged) || fault.IsRetry(err) || len(fault.Of(err).Remedies) == 0 {
				t.Errorf("got %v, want a terminal fault that says it is damaged, and what to do", err)
			}
			if entries, err := s.List(t.Context(), transcript.KindPlan, "shop"); err != nil || len(entries) != 1 || entries[0].Key.UID != key.UID {
				t.Errorf("got the list %v (%v), want it to go on showing what is damaged", entries, err)
			}
		})
	}
}

func TestStore_chunksCannotBeChanged(t *testing.T) {
	namespace := room(t)
	ref, err := secrets.New(server, namespace, time.Now).Put(t.Context(), transcripttest.Key("web", 1), nil, transcripttest.Noise(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	for _, chunk := range secretsOf(t, namespace, ref)[1:] {
		chunk.Data["content.gz"] = []byte("another")
		if err := server.Update(t.Context(), chunk); err == nil {
			t.Errorf("%s was changed", chunk.Name)
		}
	}
}

func TestStore_leavesTheSecretsOfOthersAlone(t *testing.T) {
	namespace, key := room(t), transcripttest.Key("web", 1)
	other := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "plan-uid-web-1"}, StringData: map[string]string{"token": "x"}}
	if err := server.Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	s := secrets.New(server, namespace, time.Now)
	if _, err := s.Put(t.Context(), key, nil, []byte("plan")); !fault.Is(err, fault.AlreadyExists) || fault.IsRetry(err) {
		t.Errorf("putting over it: %v", err)
	}
	if _, err := s.Get(t.Context(), key); !fault.Is(err, transcript.Damaged) {
		t.Errorf("getting it: %v", err)
	}
	if entries, err := s.List(t.Context(), transcript.KindPlan, ""); err != nil || len(entries) != 0 {
		t.Errorf("listing it: %v, %v", entries, err)
	}
	if err := s.Drop(t.Context(), key); err != nil {
		t.Errorf("dropping nothing: %v", err)
	}
	if _, err := s.Sweep(t.Context(), gone); err != nil {
		t.Errorf("sweeping: %v", err)
	}
	if err := server.Get(t.Context(), client.ObjectKeyFromObject(other), other); err != nil || string(other.Data["token"]) != "x" {
		t.Errorf("it is no longer what it was: %v", err)
	}
}
