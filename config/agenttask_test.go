package config_test

import (
	"context"
	"maps"
	"reflect"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

type fields = map[string]any

// admin is a person who may do everything, and whose tasks are stamped like everyone's.
func admin(t *testing.T) client.Client {
	t.Helper()
	return as(t, "admin", "system:masters")
}

func as(t *testing.T, user string, groups ...string) client.Client {
	t.Helper()
	c, err := cluster.client(user, groups...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// task is an AgentTask as a client sends it, typed by nobody.
func task(name string, spec fields) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: fields{"spec": spec}}
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("AgentTask"))
	object.SetNamespace("default")
	object.SetName(name)
	return object
}

// asking is a spec with a prompt and what else is given.
func asking(more fields) fields {
	spec := fields{"prompt": "Why is web not ready?"}
	maps.Copy(spec, more)
	return spec
}

func list(items ...any) []any { return items }

func TestAgentTask_stored(t *testing.T) {
	cases := []struct {
		name string
		spec fields
	}{
		{"a prompt alone", asking(nil)},
		{"an empty prompt, so that the answer says what to do", asking(fields{"prompt": ""})},
		{"a prompt of 100 KiB, so that nothing pasted is lost", asking(fields{"prompt": strings.Repeat("x", 100<<10)})},
		{"a prompt with control characters", asking(fields{"prompt": "\x00\x1b[31mred\x07"})},
		{"every field that is served", asking(fields{
			"intent": "Change", "serviceAccountName": "eclusier-reader", "correlationID": "corr-0badcafe", "language": "fr-CA",
			"suspend": true, "cancel": false, "ttlAfterFinished": "0s", "limits": fields{"wallClock": "1m30s"},
			"targets": list(fields{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web"}),
		})},
		{"a short name as kind", asking(fields{"targets": list(fields{"kind": "deploy", "name": "web"})})},
		{"a name with colons", asking(fields{"targets": list(fields{"kind": "ClusterRole", "name": "system:node"})})},
		{"hosts by name and by address", asking(fields{"targets": list(
			fields{"host": "db-02.internal"}, fields{"host": "10.1.2.3"}, fields{"host": "fe80::1"}, fields{"host": "::1"})})},
		{"times in small units", asking(fields{"limits": fields{"wallClock": "1.123456789s80000000ms"}, "ttlAfterFinished": "31536000s"})},
		{"the longest time and the longest keeping", asking(fields{"limits": fields{"wallClock": "24h"}, "ttlAfterFinished": "8760h"})},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if err := admin(t).Create(t.Context(), task("stored", tc.spec), client.DryRunAll); err != nil {
				t.Fatalf("refused: %v", err)
			}
		})
	}
}

func TestAgentTask_defaults(t *testing.T) {
	object := task("defaults", asking(nil))
	if err := admin(t).Create(t.Context(), object, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	spec, _, err := unstructured.NestedMap(object.Object, "spec")
	if err != nil {
		t.Fatal(err)
	}
	want := asking(fields{
		"intent": "Auto", "serviceAccountName": v1alpha1.DefaultServiceAccountName, "requestedBy": fields{"username": "admin"},
	})
	if len(spec) != len(want) {
		t.Fatalf("a prompt alone became %v, want %v: a default on a refused field would refuse every task", spec, want)
	}
	for name, value := range want {
		if got := spec[name]; !reflect.DeepEqual(got, value) {
			t.Errorf("spec.%s = %v, want %v", name, got, value)
		}
	}
}

func TestAgentTask_refused(t *testing.T) {
	object := fields{"kind": "Deployment", "name": "web"}
	cases := []struct {
		name string
		spec fields
		want string
	}{
		{"no prompt at all", fields{}, "spec.prompt: Required value"},
		{"a prompt beyond what is stored", asking(fields{"prompt": strings.Repeat("x", 131073)}), "spec.prompt: Too long"},
		{"an unknown field", asking(fields{"promt": "typo"}), `unknown field "spec.promt"`},
		{"an unknown intent", asking(fields{"intent": "Fix"}), `supported values: "Auto", "Diagnostic", "Change"`},
		{"an empty list of targets", asking(fields{"targets": []any{}}), "should have at least 1 items"},
		{"more than 20 targets", asking(fields{"targets": repeat(object, 21)}), "must have at most 20 items"},
		{"a target that is nothing", asking(fields{"targets": list(fields{})}), "set exactly one of kind and host"},
		{"a target that is two things", asking(fields{"targets": list(fields{"kind": "Node", "name": "n", "host": "n"})}), "set exactly one of kind and host"},
		{"a kind without a name", asking(fields{"targets": list(fields{"kind": "Deployment"})}), "an object is named by kind and name together"},
		{"a namespace beside a host", asking(fields{"targets": list(fields{"host": "h", "namespace": "shop"})}), "apiVersion and namespace belong to an object"},
		{"a name that is a path", asking(fields{"targets": list(fields{"kind": "Pod", "name": "a/b"})}), "spec.targets[0].name"},
		{"a host with a shell in it", asking(fields{"targets": list(fields{"host": "web; rm -rf /"})}), "spec.targets[0].host"},
		{"a service account that cannot be one", asking(fields{"serviceAccountName": "system:admin"}), "spec.serviceAccountName"},
		{"a correlation id that breaks a log line", asking(fields{"correlationID": "a\nb"}), "spec.correlationID"},
		{"a time that is none", asking(fields{"limits": fields{"wallClock": "soon"}}), "spec.limits.wallClock"},
		{"no time at all", asking(fields{"limits": fields{"wallClock": "0s"}}), "limits.wallClock must be between 1s and 24h"},
		{"more than a day", asking(fields{"limits": fields{"wallClock": "24h1s"}}), "limits.wallClock must be between 1s and 24h"},
		{"more than a duration can say", asking(fields{"limits": fields{"wallClock": "99999999h"}}), "limits.wallClock must be between 1s and 24h"},
		{"keeping for longer than a duration can say", asking(fields{"ttlAfterFinished": "99999999h"}), "leave it out to keep the task"},
		{"keeping for more than a year", asking(fields{"ttlAfterFinished": "8761h"}), "leave it out to keep the task"},
		{"keeping for a negative time", asking(fields{"ttlAfterFinished": "-1s"}), "spec.ttlAfterFinished"},
		{"German", asking(fields{"language": "de"}), "not supported yet: answers are written in English (en) or French (fr)"},
		{"a language that only begins like English", asking(fields{"language": "eng"}), "not supported yet: answers are written in English"},
		{"hosts by label", asking(fields{"targets": list(fields{"hostSelector": fields{"matchLabels": fields{"a": "b"}}})}), "not supported yet: name each host in a target of its own"},
		{"a model", asking(fields{"models": fields{"provider": "openai"}}), "not supported yet: tasks are answered by rules"},
		{"an empty choice of models", asking(fields{"models": fields{}}), "not supported yet: tasks are answered by rules"},
		{"a retry policy", asking(fields{"retry": fields{"maxAttempts": int64(5)}}), "not supported yet: every task has 3 attempts"},
		{"escalation of questions", asking(fields{"interaction": "Escalate"}), "not supported yet: a task that would need an answer ends"},
		{"failing fast", asking(fields{"interaction": "FailFast"}), "not supported yet: a task that would need an answer ends"},
		{"decomposition", asking(fields{"decomposition": fields{"strategy": "None"}}), "not supported yet: a task is not split"},
		{"escalation", asking(fields{"escalation": fields{"priority": "P1"}}), "not supported yet: nothing is handed to a person by itself"},
		{"a limit of tool calls", asking(fields{"limits": fields{"toolCalls": int64(5)}}), "not supported yet: rules call no tools"},
		{"a limit of tool retries", asking(fields{"limits": fields{"toolRetries": int64(1)}}), "leave limits.toolRetries out"},
		{"a limit of model turns", asking(fields{"limits": fields{"modelTurns": int64(5)}}), "not supported yet: no model is called"},
		{"a limit of tokens", asking(fields{"limits": fields{"tokens": int64(5)}}), "leave limits.tokens out"},
		{"a limit of cost", asking(fields{"limits": fields{"costUSD": "0.50"}}), "leave limits.costUSD out"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			err := admin(t).Create(t.Context(), task("refused", tc.spec), client.DryRunAll, client.FieldValidation("Strict"))
			expectRefusal(t, err, tc.want)
		})
	}
}

func TestAgentTask_changed(t *testing.T) {
	whole := func() fields {
		return asking(fields{
			"intent": "Diagnostic", "targets": list(fields{"kind": "Deployment", "name": "web"}), "correlationID": "c-1", "language": "en",
			"limits": fields{"wallClock": "5m"}, "ttlAfterFinished": "1h", "cancel": true,
		})
	}
	set := func(name string, value any) func(fields) { return func(spec fields) { spec[name] = value } }
	unset := func(name string) func(fields) { return func(spec fields) { delete(spec, name) } }
	cases := []struct {
		name   string
		before fields
		change func(fields)
		want   string
	}{
		{"another prompt", whole(), set("prompt", "Why is db not ready?"), "spec.prompt cannot be changed"},
		{"another intent", whole(), set("intent", "Change"), "spec.intent cannot be changed"},
		{"other targets", whole(), set("targets", list(fields{"kind": "Deployment", "name": "db"})), "spec.targets cannot be changed"},
		{"no more targets", whole(), unset("targets"), "spec.targets cannot be changed"},
		{"targets afterwards", asking(nil), set("targets", list(fields{"kind": "Pod", "name": "x"})), "spec.targets cannot be changed"},
		{"another service account", whole(), set("serviceAccountName", "other"), "spec.serviceAccountName cannot be changed"},
		{"another correlation id", whole(), set("correlationID", "c-2"), "spec.correlationID cannot be changed"},
		{"no more correlation id", whole(), unset("correlationID"), "spec.correlationID cannot be changed"},
		{"another limit", whole(), set("limits", fields{"wallClock": "6m"}), "spec.limits cannot be changed"},
		{"another language", whole(), set("language", "fr"), "spec.language cannot be changed"},
		{"a cancel taken back", whole(), set("cancel", false), "spec.cancel cannot be taken back"},
		{"a cancel left out", whole(), unset("cancel"), "spec.cancel cannot be taken back"},
		{"another requester", whole(), set("requestedBy", fields{"username": "mallory"}), "spec.requestedBy cannot be changed"},
		{"sent again without the requester", whole(), unset("requestedBy"), ""},
		{"suspended", asking(nil), set("suspend", true), ""},
		{"resumed", asking(fields{"suspend": true}), unset("suspend"), ""},
		{"cancelled", asking(nil), set("cancel", true), ""},
		{"kept for another time", whole(), set("ttlAfterFinished", "2h"), ""},
		{"kept for ever after all", whole(), unset("ttlAfterFinished"), ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			c, object := admin(t), task("changed", tc.before)
			if err := c.Create(t.Context(), object); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { remove(t, c, object) })
			tc.change(object.Object["spec"].(fields))
			err := c.Update(t.Context(), object)
			if tc.want != "" {
				expectRefusal(t, err, tc.want)
				return
			}
			if err != nil {
				t.Fatalf("refused: %v", err)
			}
			if got := requestedBy(t, object); got["username"] != "admin" {
				t.Errorf("requestedBy = %v afterwards, want admin", got)
			}
		})
	}
}

func expectRefusal(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("accepted, want a refusal with %q", want)
	}
	if !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) && !apierrors.IsForbidden(err) {
		t.Fatalf("failed rather than refused: %v", err)
	}
	if !strings.Contains(err.Error(), want) {
		t.Fatalf("refused with %q, want %q", err, want)
	}
}

func remove(t *testing.T, c client.Client, object client.Object) {
	t.Helper()
	// The test's own context is done when its clean-up runs.
	if err := c.Delete(context.Background(), object); client.IgnoreNotFound(err) != nil {
		t.Error(err)
	}
}

func repeat(item any, times int) []any {
	items := make([]any, times)
	for i := range items {
		items[i] = item
	}
	return items
}
