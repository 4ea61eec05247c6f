package main

import (
	"context"
	"errors"
	"time"

	"github.com/eclusier/eclusier/hack/devcluster/internal/plane"
	"github.com/eclusier/eclusier/hack/devcluster/internal/scenario"
)

// load starts a frozen control plane and replays a scenario onto it.
func load(args []string) error {
	// The folder may stand before the flags as well as after them.
	var dir string
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		dir, args = args[0], args[1:]
	}
	f := newUpFlags("load")
	if err := f.Parse(args); err != nil {
		return err
	}
	if dir == "" {
		dir = f.Arg(0)
	}
	if dir == "" {
		return errors.New("the folder of the scenario is missing")
	}
	s, err := scenario.Read(dir)
	if err != nil {
		return err
	}
	f.options.Frozen = true
	f.options.LogSource = s.Log
	return serve(f, func(ctx context.Context, p *plane.Plane) (string, error) {
		return " ECLUSIER_NOW=" + s.Now.UTC().Format(time.RFC3339Nano), s.Load(ctx, p.Config)
	})
}
