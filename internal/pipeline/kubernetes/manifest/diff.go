package manifest

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/internal/redact"
)

// maxShown bounds the text of one object that is compared line by line.
const maxShown = 512 << 10

// Diff returns the unified diff of two normal forms, as YAML, for people: secrets are hidden, and where a hidden value
// changes, that is said. A nil form is an object that does not exist.
func Diff(name string, before, after map[string]any) (string, error) {
	from, to := "live/"+name, "planned/"+name
	if before == nil {
		from = "/dev/null"
	}
	if after == nil {
		to = "/dev/null"
	}
	before, after = masked(before, after)
	was, err := text(before)
	if err != nil {
		return "", err
	}
	is, err := text(after)
	if err != nil {
		return "", err
	}
	if len(was)+len(is) > maxShown {
		return fmt.Sprintf("--- %s\n+++ %s\nThe object is too large to be shown line by line: %d lines before, %d after.\n",
			from, to, strings.Count(was, "\n"), strings.Count(is, "\n")), nil
	}
	// Once more over the whole: a secret that is recognised by what is around it, whatever the tree looks like.
	return redact.String(udiff.Unified(from, to, was, is)).String(), nil
}

func text(form map[string]any) (string, error) {
	if form == nil {
		return "", nil
	}
	body, err := yaml.Marshal(form)
	if err != nil {
		return "", fmt.Errorf("writing an object as YAML: %w", err)
	}
	return string(body), nil
}
