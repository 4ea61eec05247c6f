package kubernetes_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/eclusier/eclusier/internal/change"
)

// prose is so many lines of text for a JSON string.
func prose(lines int) string { return strings.Repeat(`a line of text that nobody reads\n`, lines) }

func making(name, data string) string {
	return `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: ` + name + `}, data: {a: "` + data + `"}}}`
}

// TestPlan_diffTooLong: nobody is asked about more than can be shown.
func TestPlan_diffTooLong(t *testing.T) {
	s := newStage(t)
	s.have(web)
	image := `setImage: {target: {kind: Deployment, name: web}, container: web, image: "evil.example.com/miner:1"}`
	s.refuses("Invalid", "split the change (the longest part is ConfigMap NS/aaa)", making("aaa", prose(2500)), image)
	s.refuses("Invalid", "an approver can be shown 65536", making("aaa", prose(1000)), making("bbb", prose(1000)))
	s.refuses("Invalid", "split the change", making("aaa", prose(16_000)))
	p := s.plan(making("aaa", prose(1500)), image)
	for _, line := range []string{"+      - image: evil.example.com/miner:1", "+++ planned/ConfigMap/" + s.namespace + "/aaa"} {
		if !strings.Contains(p.View.Diff, line) {
			t.Errorf("%q is not shown", line)
		}
	}
}

// TestPlan_diffOfDeletions: of what is deleted a fair share is shown, and how much is not.
func TestPlan_diffOfDeletions(t *testing.T) {
	s := newStage(t)
	s.have(strings.Replace(cfg, "level: info", `level: "`+prose(2500)+`"`, 1), strings.NewReplacer("name: cfg", "name: other", "level: info", `level: "`+prose(2500)+`"`).Replace(cfg), web)
	p := s.plan(`delete: {target: {kind: cm, name: cfg}}`, `delete: {target: {kind: cm, name: other}}`, scaleWeb)
	if n := utf8.RuneCountInString(p.View.Diff); n > change.MaxDiff || n < change.MaxDiff/2 {
		t.Errorf("%d characters", n)
	}
	for _, line := range []string{"lines of ConfigMap NS/cfg are not shown", "lines of ConfigMap NS/other are not shown", "+  replicas: 3"} {
		if !strings.Contains(p.View.Diff, strings.ReplaceAll(line, "NS", s.namespace)) {
			t.Errorf("%q is missing", line)
		}
	}
}

// TestPlan_smallChangeOfSomethingLarge: what counts is the diff, not the object.
func TestPlan_smallChangeOfSomethingLarge(t *testing.T) {
	s := newStage(t)
	s.have(strings.Replace(cfg, "level: info", `level: info, text: "`+prose(16_000)+`"`, 1))
	if p := s.plan(`patch: {target: {kind: cm, name: cfg}, patch: '{data: {level: debug}}'}`); !strings.Contains(p.View.Diff, "+  level: debug") {
		t.Errorf("got\n%s", p.View.Diff)
	}
}

func TestPlan_notShown(t *testing.T) {
	s := newStage(t)
	p := s.plan(`apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}, data: {password: Tr0ub4dor}}}`)
	if got := strings.Join(p.View.NotShown, "\n"); got != "ConfigMap "+s.namespace+"/cfg: what looks like a secret: data.password (9 characters)" || !p.View.Facts[0].NotShown {
		t.Errorf("got %q, %+v", got, p.View.Facts)
	}
	if strings.Contains(p.View.Diff, "Tr0ub4dor") {
		t.Errorf("it is shown:\n%s", p.View.Diff)
	}
}

// TestPlan_unseenCharacters: an object that YAML has no words for can be changed like any other.
func TestPlan_unseenCharacters(t *testing.T) {
	s := newStage(t)
	s.have(strings.Replace(cfg, "level: info", `level: "a\u009bb"`, 1))
	p := s.plan(`patch: {target: {kind: cm, name: cfg}, patch: '{"data": {"level": "good.example\u200b.evil.com"}}'}`)
	for _, line := range []string{"-  level: a<U+009B>b", "+  level: good.example<U+200B>.evil.com"} {
		if !strings.Contains(p.View.Diff, line) {
			t.Errorf("%q is missing:\n%s", line, p.View.Diff)
		}
	}
	s.liveThrough(s.plan(`delete: {target: {kind: cm, name: cfg}}`), nil, nil)
}

// TestPlan_whatIsAskedIsShown: what controllers write by themselves is noise only where nobody asked for it.
func TestPlan_whatIsAskedIsShown(t *testing.T) {
	const applied = "kubectl.kubernetes.io/last-applied-configuration"
	s := newStage(t)
	s.have(cfg, strings.Replace(cfg, "name: cfg", `name: old, annotations: {`+applied+`: "{}"}`, 1))
	daemons := `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d, namespace: NS}, spec: {selector: {matchLabels: {app: d}}, template: {metadata: {labels: {app: d}}, spec: {containers: [{name: a, image: "a:1"}]}}}}`
	s.have(daemons)
	tests := []struct{ name, operation, line string }{
		{"something new", `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: new, annotations: {` + applied + `: "{}"}}}}`, "+    " + applied},
		{"an apply", `apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: cfg, annotations: {` + applied + `: "{}"}}, data: {a: b}}}`, "+    " + applied},
		{"a patch", `patch: {target: {kind: cm, name: cfg}, patch: '{data: {a: b}, metadata: {annotations: {deployment.kubernetes.io/revision: "7"}}}'}`, `+    deployment.kubernetes.io/revision: "7"`},
		{"a JSON patch", `patch: {target: {kind: cm, name: cfg}, type: JSON, patch: '[{op: add, path: /data/a, value: b}, {op: add, path: /metadata/annotations, value: {` + applied + `: x}}]'}`, "+    " + applied},
		{"something taken away", `patch: {target: {kind: cm, name: old}, patch: '{data: {a: b}, metadata: {annotations: {` + applied + `: null}}}'}`, "-    " + applied},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			on := *s
			on.TB = t
			if got := on.plan(tt.operation).View.Diff; !strings.Contains(got, tt.line) {
				t.Errorf("%q is missing:\n%s", tt.line, got)
			}
		})
	}
	for _, noiseless := range []string{`patch: {target: {kind: cm, name: old}, patch: '{data: {a: b}}'}`, `restart: {target: {kind: ds, name: d}}`} {
		if got := s.plan(noiseless).View.Diff; strings.Contains(got, "+    deprecated") || strings.Contains(got, "+    "+applied) {
			t.Errorf("noise:\n%s", got)
		}
	}
	s.refuses("Invalid", "the patch sets status", `patch: {target: {kind: cm, name: cfg}, patch: '{status: {a: b}}'}`)
	s.refuses("Invalid", "the patch sets status.a", `patch: {target: {kind: cm, name: cfg}, type: JSON, patch: '[{op: add, path: /status/a, value: b}]'}`)
}
