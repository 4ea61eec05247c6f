package manifest

import (
	"slices"
	"testing"
)

func TestUnforeseen(t *testing.T) {
	type fields = map[string]any
	foreseen := fields{
		"metadata": fields{"name": "web"},
		"spec":     fields{"clusterIP": Chosen, "replicas": int64(3), "containers": []any{fields{"name": "a", "image": "x:1"}}},
	}
	with := func(change func(spec fields)) fields {
		spec := fields{"clusterIP": "10.0.0.7", "replicas": int64(3), "containers": []any{fields{"name": "a", "image": "x:1"}}}
		change(spec)
		return fields{"metadata": fields{"name": "web"}, "spec": spec}
	}
	for _, tc := range []struct {
		name string
		is   fields
		want []string
	}{
		{"what was foreseen, and a value that the server was to choose", with(func(fields) {}), nil},
		{"another value", with(func(s fields) { s["replicas"] = int64(9) }), []string{"spec.replicas"}},
		{"a field more", with(func(s fields) { s["paused"] = true }), []string{"spec.paused"}},
		{"a field less", with(func(s fields) { delete(s, "replicas") }), []string{"spec.replicas"}},
		{"a value deep in a list", with(func(s fields) { s["containers"] = []any{fields{"name": "a", "image": "y:2"}} }), []string{"spec.containers[0].image"}},
		{"an element more", with(func(s fields) { s["containers"] = []any{fields{"name": "a"}, fields{"name": "b"}} }), []string{"spec.containers"}},
		{"several, in order", with(func(s fields) { s["replicas"], s["paused"] = int64(9), true }), []string{"spec.paused", "spec.replicas"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Unforeseen(foreseen, tc.is); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
