package diagnose_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/eclusier/eclusier/internal/cluster/dump"
	"github.com/eclusier/eclusier/internal/diagnose"
)

// TestTornDumpsAreAnswered loses fields, values and objects at random: whatever is left, there is an answer.
func TestTornDumpsAreAnswered(t *testing.T) {
	t.Parallel()
	for _, folder := range folders(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			e := expectationOf(t, folder)
			objects := objectsOf(t, folder)
			for seed := range uint64(3) {
				r := rand.New(rand.NewPCG(seed, 11))
				root := t.TempDir()
				var list []any
				for _, o := range objects {
					if r.IntN(20) > 0 {
						list = append(list, tear(r, o))
					}
				}
				data, err := json.Marshal(list)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, "torn.json"), data, 0o600); err != nil {
					t.Fatal(err)
				}
				d, err := dump.Open(root)
				if err != nil {
					continue
				}
				report, err := diagnose.Investigate(context.Background(), d, d.Snapshot(), e.question())
				if err != nil || report.Verdict == "" || report.Summary == "" {
					t.Fatalf("seed %d: no answer: %v", seed, err)
				}
			}
		})
	}
}

// objectsOf reads the objects of a scenario as plain values.
func objectsOf(t *testing.T, folder string) []any {
	t.Helper()
	f, err := os.Open(filepath.Join(folder, "objects.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []any
	for d := yaml.NewYAMLOrJSONDecoder(f, 4096); ; {
		var o map[string]any
		if err := d.Decode(&o); err != nil {
			return out
		}
		if o != nil {
			out = append(out, o)
		}
	}
}

// tear drops entries of maps and lists, deeper ones as likely as others.
func tear(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, one := range v {
			if keep := k == "kind" || k == "apiVersion" || k == "metadata" || k == "name" || k == "namespace"; keep || r.IntN(25) > 0 {
				out[k] = tear(r, one)
			}
		}
		return out
	case []any:
		var out []any
		for _, one := range v {
			if r.IntN(25) > 0 {
				out = append(out, tear(r, one))
			}
		}
		return out
	}
	return v
}
