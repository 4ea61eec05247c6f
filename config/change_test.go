package config_test

import (
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/config/policy"
)

// change is a ChangeRequest as a client sends it, typed by nobody.
func change(name string, spec fields) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: fields{"spec": spec}}
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("ChangeRequest"))
	object.SetNamespace("default")
	object.SetName(name)
	return object
}

// wanting is a spec that scales web, and what else is given.
func wanting(more fields) fields {
	spec := fields{"reason": "more visitors are expected", "kubernetes": fields{"operations": list(scaling(3))}}
	maps.Copy(spec, more)
	return spec
}

func scaling(replicas int64) fields {
	return fields{"scale": fields{"target": fields{"kind": "Deployment", "name": "web"}, "replicas": replicas}}
}

func changePolicy(name string, spec fields) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: fields{"spec": spec}}
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("ChangePolicy"))
	object.SetName(name)
	return object
}

// openAttempt is the status of a change that is being carried out.
func openAttempt() client.Patch {
	return client.RawPatch(types.MergePatchType, []byte(`{"status":{"attempts":[{"id":"apply-1","step":"Apply","digest":"`+digest+
		`","startedAt":"2026-01-01T00:00:00Z","outcome":"Open"}]}}`))
}

// endedAttempt is the status of a change that is applied and is being checked.
func endedAttempt() client.Patch {
	return client.RawPatch(types.JSONPatchType, []byte(`[{"op":"replace","path":"/status/attempts/0/outcome","value":"Succeeded"}]`))
}

// ending is the status of a change that was undone.
func ending() client.Patch {
	return client.RawPatch(types.MergePatchType, []byte(`{"status":{"result":"RolledBack"}}`))
}

func TestChangeRequest_requesterIsStamped(t *testing.T) {
	cases := []struct {
		name string
		uid  string
		sent any
		want fields
	}{
		{"nothing sent", "", nil, fields{"username": "alice"}},
		{"nothing sent by someone with a uid", "u-1", nil, fields{"username": "alice", "uid": "u-1"}},
		{"another's name and uid", "", fields{"username": "bob", "uid": "u-9"}, fields{"username": "alice"}},
		{"the operator's name", "", fields{"username": policy.DefaultOperator}, fields{"username": "alice"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			spec := wanting(nil)
			if tc.sent != nil {
				spec["requestedBy"] = tc.sent
			}
			object := change("stamped", spec)
			if err := requester(t, "alice", tc.uid).Create(t.Context(), object, client.DryRunAll); err != nil {
				t.Fatal(err)
			}
			if got := requestedBy(t, object); !equal(got, tc.want) {
				t.Errorf("requestedBy = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestChangeRequest_inAnothersName(t *testing.T) {
	ofTask := fields{"taskRef": fields{"name": "more-web"}, "requestedBy": fields{"username": "alice", "uid": "u-1"}}
	alone := "the operator creates changes for tasks alone, in the name of the one who asked"
	cases := []struct {
		name string
		who  client.Client
		more fields
		want string
	}{
		{"by the operator for a task", as(t, policy.DefaultOperator), ofTask, ""},
		{"by the operator for no task", as(t, policy.DefaultOperator), fields{"requestedBy": ofTask["requestedBy"]}, alone},
		{"by the operator in nobody's name", as(t, policy.DefaultOperator), fields{"taskRef": ofTask["taskRef"]}, "spec.requestedBy is missing"},
		{"by the operator in its own name", as(t, policy.DefaultOperator), fields{
			"taskRef": ofTask["taskRef"], "requestedBy": fields{"username": policy.DefaultOperator}}, alone},
		{"by someone for a task", requester(t, "bob", ""), ofTask, "spec.taskRef is written by the operator, into changes that come from a task"},
		{"by a cluster administrator for a task", admin(t), ofTask, "spec.taskRef is written by the operator"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			object := change("for-a-task", wanting(tc.more))
			err := tc.who.Create(t.Context(), object, client.DryRunAll)
			if tc.want != "" {
				expectRefusal(t, err, tc.want)
				return
			}
			if err != nil {
				t.Fatalf("refused: %v", err)
			}
			if got := requestedBy(t, object); !equal(got, tc.more["requestedBy"].(fields)) {
				t.Errorf("requestedBy = %v, want %v", got, tc.more["requestedBy"])
			}
		})
	}
}

// wholeChange has every field that is served.
func wholeChange() fields {
	return wanting(fields{
		"pipeline": "Kubernetes", "serviceAccountName": "eclusier-applier", "rollback": "Manual", "delivery": "Direct", "dryRun": true,
		"notBefore": "2030-01-01T00:00:00Z", "deadline": "2030-01-02T00:00:00Z", "cancel": true,
		"checks": list(fields{"name": "ready", "timeout": "5m", "objectReady": fields{"target": fields{"kind": "Deployment", "name": "web"}}}),
	})
}

func TestChangeRequest_changed(t *testing.T) {
	set := func(name string, value any) func(fields) { return func(spec fields) { spec[name] = value } }
	unset := func(name string) func(fields) { return func(spec fields) { delete(spec, name) } }
	cases := []struct {
		name   string
		before fields
		change func(fields)
		want   string
	}{
		{"another number of replicas", wholeChange(), set("kubernetes", fields{"operations": list(scaling(30))}), "spec.kubernetes cannot be changed"},
		{"one operation more", wholeChange(), set("kubernetes", fields{"operations": list(scaling(3), scaling(4))}), "spec.kubernetes cannot be changed"},
		{"another reason", wholeChange(), set("reason", "fewer visitors"), "spec.reason cannot be changed"},
		{"another requester", wholeChange(), set("requestedBy", fields{"username": "mallory"}), "spec.requestedBy cannot be changed"},
		{"another service account", wholeChange(), set("serviceAccountName", "root"), "spec.serviceAccountName cannot be changed"},
		{"no more checks", wholeChange(), unset("checks"), "spec.checks cannot be changed"},
		{"another rollback", wholeChange(), set("rollback", "Never"), "spec.rollback cannot be changed"},
		{"another delivery", wholeChange(), set("delivery", "Auto"), "spec.delivery cannot be changed"},
		{"for real after all", wholeChange(), set("dryRun", false), "spec.dryRun cannot be changed"},
		{"earlier", wholeChange(), set("notBefore", "2029-01-01T00:00:00Z"), "spec.notBefore cannot be changed"},
		{"later", wholeChange(), unset("deadline"), "spec.deadline cannot be changed"},
		{"for a task afterwards", wanting(nil), set("taskRef", fields{"name": "x"}), "spec.taskRef cannot be changed"},
		{"a cancel taken back", wholeChange(), set("cancel", false), "spec.cancel cannot be taken back"},
		{"sent again without the requester", wholeChange(), unset("requestedBy"), ""},
		{"cancelled", wanting(nil), set("cancel", true), ""},
		{"suspended", wanting(nil), set("suspend", true), ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			c, object := admin(t), change("changed", tc.before)
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

func TestChangeRequest_refused(t *testing.T) {
	const noSecrets = "Secrets are not changed by eclusier: whoever may read this change could read what is in it"
	target := fields{"kind": "Deployment", "name": "web"}
	doing := func(operations ...any) fields { return wanting(fields{"kubernetes": fields{"operations": operations}}) }
	cases := []struct {
		name string
		spec fields
		want string
	}{
		{"no reason", fields{"kubernetes": fields{"operations": list(scaling(3))}}, "spec.reason: Required value"},
		{"no operation", doing(), "spec.kubernetes.operations"},
		{"an operation that is nothing", doing(fields{}), "exactly one of the fields"},
		{"an operation that is two things", doing(fields{"restart": fields{"target": target}, "delete": fields{"target": target}}), "exactly one of the fields"},
		{"fewer than no replicas", doing(scaling(-1)), "spec.kubernetes.operations[0].scale.replicas"},
		{"an image with a shell in it", doing(fields{"setImage": fields{"target": target, "image": "web; rm -rf /"}}), "setImage.image"},
		{"a pipeline that is not served", wanting(fields{"pipeline": "Terraform"}), "not supported yet: only the Kubernetes pipeline is served"},
		{"a commit", wanting(fields{"delivery": "GitCommit"}), "not supported yet: changes are not committed to Git"},
		{"a service account that cannot be one", wanting(fields{"serviceAccountName": "system:admin"}), "spec.serviceAccountName"},
		{"over before it may begin", wanting(fields{"notBefore": "2030-01-02T00:00:00Z", "deadline": "2030-01-01T00:00:00Z"}), "spec.notBefore must be before spec.deadline"},
		{"two checks of one name", wanting(fields{"checks": list(
			fields{"name": "a", "noNewWarnings": fields{}}, fields{"name": "a", "noNewFaults": fields{}})}), "Duplicate value"},
		{"a check that lasts for ever", wanting(fields{"checks": list(fields{"name": "a", "timeout": "2h", "noNewFaults": fields{}})}), "between 1s and 1h"},
		{"a Secret applied", doing(fields{"apply": fields{"manifest": fields{"apiVersion": "v1", "kind": "Secret", "metadata": fields{"name": "a"}, "stringData": fields{"a": "b"}}}}), noSecrets},
		{"a Secret patched", doing(fields{"patch": fields{"target": fields{"kind": "Secret", "name": "a"}, "patch": `{"stringData": {"a": "b"}}`}}), noSecrets},
		{"a Secret patched by another of its names", doing(fields{"patch": fields{"target": fields{"apiVersion": "v1", "kind": "secrets", "name": "a"}, "patch": "{}"}}), noSecrets},
		{"an unknown field", wanting(fields{"requestor": "me"}), `unknown field "spec.requestor"`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			err := admin(t).Create(t.Context(), change("refused", tc.spec), client.DryRunAll, client.FieldValidation("Strict"))
			expectRefusal(t, err, tc.want)
		})
	}
}

func TestChangeRequest_isKeptWhileCarriedOut(t *testing.T) {
	c, object := admin(t), change("running", wanting(nil))
	if err := c.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	operator := as(t, policy.DefaultOperator)
	write := func(patch client.Patch) {
		t.Helper()
		if err := operator.Status().Patch(t.Context(), object, patch); err != nil {
			t.Fatal(err)
		}
	}
	deleters := map[string]client.Client{
		"a cluster administrator": c, "the requester": requester(t, "alice", ""), "the operator": as(t, policy.DefaultOperator, "system:masters"),
		"the garbage collector": as(t, collector, "system:masters"), "a controller manager of one account": as(t, "system:kube-controller-manager", "system:masters"),
	}
	for _, stage := range []struct {
		name   string
		status client.Patch
	}{
		{"while it is applied", openAttempt()},
		{"while it is verified, or waits for a decision on its result", endedAttempt()},
	} {
		t.Run(stage.name, func(t *testing.T) {
			write(stage.status)
			for who, deleter := range deleters {
				t.Run(who, func(t *testing.T) {
					expectRefusal(t, deleter.Delete(t.Context(), object, client.DryRunAll), "this change is being carried out (apply-1), and without it nobody would check what was done or undo it")
				})
			}
		})
	}
	write(ending())
	if err := c.Delete(t.Context(), object); err != nil {
		t.Errorf("refused once it has ended: %v", err)
	}
}

func TestChangeRequest_isNotKeptBeforeItIsApplied(t *testing.T) {
	c, object := admin(t), change("waiting", wanting(nil))
	if err := c.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	waiting := client.RawPatch(types.MergePatchType, []byte(`{"status":{"phase":"AwaitingApproval"}}`))
	if err := as(t, policy.DefaultOperator).Status().Patch(t.Context(), object, waiting); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), object); err != nil {
		t.Errorf("refused: %v", err)
	}
}

func TestChangeRequest_isOnlyCancelledByTheOperator(t *testing.T) {
	c, object := admin(t), change("cancelled", wanting(fields{"suspend": true}))
	if err := c.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, c, object) })
	operator := as(t, policy.DefaultOperator, "system:masters")
	for _, write := range []fields{{"suspend": false}, {"suspend": nil}, {"cancel": true, "suspend": nil}} {
		expectRefusal(t, operator.Patch(t.Context(), object.DeepCopy(), merge(write)), "the operator writes nothing of a ChangeRequest's spec but cancel")
	}
	if err := operator.Patch(t.Context(), object, merge(fields{"cancel": true})); err != nil {
		t.Errorf("refused: %v", err)
	}
}
