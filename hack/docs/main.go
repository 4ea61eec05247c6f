// Command docs writes the reference in docs/reference from the code: the fields of every kind from its CRD, and the
// conditions with their reasons from the constants of the API package, so that documents and code cannot drift apart.
//
// `make docs` calls it from the root of the checkout.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

const (
	crds      = "config/crd/bases"
	reference = "docs/reference"
)

// conditions are the files of the API package that define conditions, and the pages made of them.
var conditions = []struct{ source, page, title string }{
	{"api/v1alpha1/conditions.go", "conditions.md", "Conditions and reasons of tasks"},
	{"api/v1alpha1/conditions_change.go", "conditions-change.md", "Conditions and reasons of changes, approvals and policies"},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	if err := os.MkdirAll(reference, 0o755); err != nil { //nolint:gosec // documents are for everyone
		return err
	}
	for _, c := range conditions {
		page, err := conditionPage(c.source, c.title)
		if err != nil {
			return err
		}
		if err := write(c.page, page); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(filepath.Join(crds, "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		name, page, err := fieldPage(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := write(name+".md", page); err != nil {
			return err
		}
	}
	return nil
}

func write(name, page string) error {
	return os.WriteFile(filepath.Join(reference, name), []byte(page), 0o644) //nolint:gosec // documents are for everyone
}
