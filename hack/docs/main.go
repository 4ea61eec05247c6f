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
	conditionsSource = "api/v1alpha1/conditions.go"
	crds             = "config/crd/bases"
	reference        = "docs/reference"
)

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
	conditions, err := conditionPage(conditionsSource)
	if err != nil {
		return err
	}
	if err := write("conditions.md", conditions); err != nil {
		return err
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
