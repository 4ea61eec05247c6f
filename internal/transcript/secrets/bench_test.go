package secrets_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/eclusier/eclusier/internal/transcript/secrets"
	"github.com/eclusier/eclusier/internal/transcript/transcripttest"
)

// planOf is content of about that size, as plans have it: JSON around objects in base64.
func planOf(b *testing.B, size int) []byte {
	b.Helper()
	plan := struct{ Before [][]byte }{}
	for i, left := 0, size; left > 0; i++ {
		object := fmt.Appendf(nil, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web-%d","namespace":"shop","uid":"%x",`+
			`"labels":{"app":"web-%d"}},"spec":{"replicas":%d,"template":{"spec":{"containers":[{"name":"web","image":"registry.example/web@sha256:%x",`+
			`"resources":{"limits":{"cpu":"500m","memory":"256Mi"}}}]}}}}`, i, transcripttest.Noise(16+i%3), i, i%7, transcripttest.Noise(32+i%5))
		plan.Before = append(plan.Before, object)
		left -= len(object) * 4 / 3
	}
	content, err := json.Marshal(plan)
	if err != nil {
		b.Fatal(err)
	}
	return content
}

// BenchmarkStore is what a change waits for: keeping its plan, and reading it before the effect.
func BenchmarkStore(b *testing.B) {
	contents := map[string][]byte{
		"a plan of 32 KiB":                     planOf(b, 32<<10),
		"a plan of 1 MiB":                      planOf(b, 1<<20),
		"a plan of 1 MiB that packs no better": transcripttest.Noise(1 << 20),
	}
	for name, content := range contents {
		b.Run("Put "+name, func(b *testing.B) {
			s, revision := secrets.New(server, room(b), time.Now), int32(0)
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				revision++
				if _, err := s.Put(b.Context(), transcripttest.Key("web", revision), nil, content); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("Get "+name, func(b *testing.B) {
			s := secrets.New(server, room(b), time.Now)
			if _, err := s.Put(b.Context(), transcripttest.Key("web", 1), nil, content); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				if _, err := s.Get(b.Context(), transcripttest.Key("web", 1)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
