package classify

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// line is one case of a table: fields separated by tabs.
func lines(t *testing.T, file string) [][]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out [][]string
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := s.Text(); line != "" && line[0] != '#' {
			out = append(out, strings.Split(line, "\t"))
		}
	}
	return out
}

func render(targets []Target) string {
	var out []string
	for _, t := range targets {
		if t.Host != "" {
			out = append(out, "host:"+t.Host)
			continue
		}
		out = append(out, t.Kind+"/"+t.Namespace+"/"+t.Name)
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, ",")
}

func TestClassify_families(t *testing.T) {
	for _, c := range lines(t, "testdata/families.tsv") {
		got := Classify(c[2])
		if want := c[0]; strings.ToLower(string(got.Intent)) != want {
			t.Errorf("%q: intent %s (%.2f, %v), want %s", c[2], got.Intent, got.Confidence, got.Rules, want)
		}
		if targets := render(got.Targets); targets != c[1] {
			t.Errorf("%q: targets %s, want %s", c[2], targets, c[1])
		}
	}
}

func TestClassify_intents(t *testing.T) {
	for _, c := range lines(t, "testdata/intents.tsv") {
		got := Classify(c[2])
		if strings.ToLower(string(got.Intent)) != c[0] {
			t.Errorf("%q: intent %s (%.2f, %v), want %s", c[2], got.Intent, got.Confidence, got.Rules, c[0])
		}
		if !compatible(got, c[1], c[2]) {
			t.Errorf("%q: targets %s, want one that fits %s", c[2], render(got.Targets), c[1])
		}
	}
}

// compatible tells whether one target fits the object that the text means in the end: what the text leaves out may be
// missing, what it says must not be different. A name that the text does not hold cannot be found in it.
func compatible(got Result, want, text string) bool {
	if want == "" {
		return len(got.Targets) == 0
	}
	parts := strings.Split(want, "/")
	if !strings.Contains(strings.ToLower(text), parts[len(parts)-1]) {
		return len(got.Targets) > 0
	}
	for _, t := range got.Targets {
		if len(parts) == 1 {
			if t.Host == want {
				return true
			}
			continue
		}
		kind := t.Kind == "" || strings.EqualFold(t.Kind, parts[0])
		namespace := t.Namespace == "" || t.Namespace == parts[1]
		if kind && namespace && t.Name == parts[2] {
			return true
		}
	}
	return false
}
