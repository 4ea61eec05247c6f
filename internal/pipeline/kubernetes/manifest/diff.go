package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/internal/redact"
)

// Comparison is what people see of a change of an object, and what they do not.
type Comparison struct {
	// Diff is the unified diff.
	Diff string
	// Hidden are the fields that the change sets to what looks like a secret, so that it is not shown.
	Hidden []string
}

// Diff returns the unified diff of two normal forms, as YAML, for people: secrets are hidden, and where a hidden value
// changes, that is said; characters that cannot be seen are spelled out. A nil form is an object that does not exist.
func Diff(name string, before, after map[string]any) (string, error) {
	c, err := Compare(name, before, after)
	return c.Diff, err
}

// Compare returns the diff of two normal forms and what it hides.
func Compare(name string, before, after map[string]any) (Comparison, error) {
	from, to := "live/"+name, "planned/"+name
	if before == nil {
		from = "/dev/null"
	}
	if after == nil {
		to = "/dev/null"
	}
	return compare(from, to, before, after)
}

// Sent returns what is sent, where nobody knows beforehand what becomes of the object.
func Sent(name string, body map[string]any) (Comparison, error) {
	return compare("live/"+name, "sent/"+name, nil, body)
}

func compare(from, to string, before, after map[string]any) (Comparison, error) {
	shownBefore, shownAfter := masked(before, after)
	was, err := text(shownBefore)
	if err != nil {
		return Comparison{}, err
	}
	is, err := text(shownAfter)
	if err != nil {
		return Comparison{}, err
	}
	var c Comparison
	c.Hidden = concealed("", before, after, shownAfter)
	plain := udiff.Unified(from, to, was, is)
	// Once more over the whole: a secret that is recognised by what is around it, whatever the tree looks like.
	if c.Diff = redact.String(plain).String(); c.Diff != plain && after != nil && len(c.Hidden) == 0 {
		c.Hidden = []string{"lines that look like a secret together"}
	}
	return c, nil
}

func text(form map[string]any) (string, error) {
	if form == nil {
		return "", nil
	}
	body, err := yaml.Marshal(visible(form))
	if err != nil {
		return "", fmt.Errorf("writing an object as YAML: %w", err)
	}
	return string(body), nil
}

// concealed names the fields that are set to something that is hidden, with its length.
func concealed(path string, before, after, shown any) []string {
	var found []string
	switch after := after.(type) {
	case map[string]any:
		was, _ := before.(map[string]any)
		seen, _ := shown.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(after)) {
			found = append(found, concealed(path+"/"+escape(key), was[key], after[key], seen[key])...)
		}
	case []any:
		was, _ := before.([]any)
		seen, _ := shown.([]any)
		for i := range after {
			var former, one any
			if i < len(was) {
				former = was[i]
			}
			if i < len(seen) {
				one = seen[i]
			}
			found = append(found, concealed(fmt.Sprintf("%s/%d", path, i), former, after[i], one)...)
		}
	case string:
		if is, _ := shown.(string); is != after && before != any(after) && strings.Contains(is, redact.Mark) {
			found = append(found, fmt.Sprintf("%s (%d characters)", spell(field(path)), len([]rune(after))))
		}
	}
	return found
}
