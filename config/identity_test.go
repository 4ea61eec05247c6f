package config_test

import (
	"context"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/config/policy"
)

// requester is a person who may ask in the namespace default and nothing else.
func requester(t *testing.T, name, uid string) client.Client {
	t.Helper()
	grant(t, name, "eclusier-requester")
	config := rest.CopyConfig(cluster.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: name, UID: uid}
	c, err := client.New(config, client.Options{Scheme: cluster.scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// grant binds a ClusterRole to a user in the namespace default for the time of the test.
func grant(t *testing.T, user, role string) {
	t.Helper()
	c := admin(t)
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "grant-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
	}
	if err := c.Create(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, c, binding) })
	awaitGrant(t, user, role)
}

// awaitGrant waits until the API server acts upon a binding that was just made.
func awaitGrant(t *testing.T, user, name string) {
	t.Helper()
	c, role := admin(t), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(role), role); err != nil {
		t.Fatal(err)
	}
	if len(role.Rules) == 0 {
		return
	}
	rule := role.Rules[0]
	attributes := &authorizationv1.ResourceAttributes{Namespace: "default", Verb: rule.Verbs[0], Group: rule.APIGroups[0], Resource: rule.Resources[0]}
	if len(rule.ResourceNames) > 0 {
		attributes.Name = rule.ResourceNames[0]
	}
	err := await(t.Context(), func(ctx context.Context) (bool, error) {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: attributes}}
		err := c.Create(ctx, review)
		return review.Status.Allowed, err
	})
	if err != nil {
		t.Fatalf("%s is not granted %s: %v", user, name, err)
	}
}

// withToken is how the account itself reaches the API server: with a token, as nobody else's guise.
func withToken(t *testing.T, account *corev1.ServiceAccount) *rest.Config {
	t.Helper()
	request := &authenticationv1.TokenRequest{}
	if err := admin(t).SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	config := rest.AnonymousClientConfig(cluster.config)
	config.BearerToken = request.Status.Token
	return config
}

func requestedBy(t *testing.T, object *unstructured.Unstructured) fields {
	t.Helper()
	name, _, err := unstructured.NestedMap(object.Object, "spec", "requestedBy")
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAgentTask_requesterIsStamped(t *testing.T) {
	cases := []struct {
		name string
		uid  string
		sent any
		want fields
	}{
		{"nothing sent", "", nil, fields{"username": "alice"}},
		{"nothing sent by someone with a uid", "u-1", nil, fields{"username": "alice", "uid": "u-1"}},
		{"her own name", "", fields{"username": "alice"}, fields{"username": "alice"}},
		{"another's name", "", fields{"username": "bob"}, fields{"username": "alice"}},
		{"another's name and uid", "", fields{"username": "bob", "uid": "u-9"}, fields{"username": "alice"}},
		{"her name with another's uid", "u-1", fields{"username": "alice", "uid": "u-9"}, fields{"username": "alice", "uid": "u-1"}},
		{"the operator's name", "", fields{"username": policy.DefaultOperator}, fields{"username": "alice"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			spec := asking(nil)
			if tc.sent != nil {
				spec["requestedBy"] = tc.sent
			}
			object := task("stamped", spec)
			if err := requester(t, "alice", tc.uid).Create(t.Context(), object, client.DryRunAll); err != nil {
				t.Fatal(err)
			}
			got := requestedBy(t, object)
			if len(got) != len(tc.want) || got["username"] != tc.want["username"] || got["uid"] != tc.want["uid"] {
				t.Errorf("requestedBy = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestAgentTask_requesterIsStampedOnApply(t *testing.T) {
	c, object := requester(t, "alice", ""), task("applied", asking(fields{"requestedBy": fields{"username": "bob"}}))
	if err := c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(object), client.FieldOwner("test")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, c, object) })
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
	if got := requestedBy(t, object); got["username"] != "alice" {
		t.Errorf("requestedBy = %v, want alice", got)
	}
	again := task("applied", asking(fields{"suspend": true}))
	if err := c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(again), client.FieldOwner("test")); err != nil {
		t.Fatalf("a manifest without requestedBy cannot be applied again: %v", err)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
	if got := requestedBy(t, object); got["username"] != "alice" {
		t.Errorf("requestedBy = %v after it was left out, want alice", got)
	}
}

func TestAgentTask_requesterStays(t *testing.T) {
	alice, bob := requester(t, "alice", ""), requester(t, "bob", "")
	object := task("stays", asking(nil))
	if err := alice.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, alice, object) })
	forged := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"requestedBy":{"username":"bob"}}}`))
	expectRefusal(t, bob.Patch(t.Context(), object.DeepCopy(), forged), "spec.requestedBy cannot be changed")
	suspend := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"suspend":true}}`))
	if err := bob.Patch(t.Context(), object, suspend); err != nil {
		t.Fatalf("someone else may not suspend it: %v", err)
	}
	if got := requestedBy(t, object); got["username"] != "alice" {
		t.Errorf("requestedBy = %v after bob suspended it, want alice", got)
	}
}

func TestAgentTask_serviceAccountIsStampedWithItsUID(t *testing.T) {
	user := "system:serviceaccount:default:ci"
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "ci"}}
	c := admin(t)
	if err := c.Create(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, c, account) })
	grant(t, user, "eclusier-requester")
	own, err := client.New(withToken(t, account), client.Options{Scheme: cluster.scheme})
	if err != nil {
		t.Fatal(err)
	}
	object := task("by-ci", asking(fields{"requestedBy": fields{"username": "alice"}}))
	if err := own.Create(t.Context(), object, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	if got := requestedBy(t, object); got["username"] != user || got["uid"] != string(account.GetUID()) {
		t.Errorf("requestedBy = %v, want %s with uid %s", got, user, account.GetUID())
	}
}

func TestAgentTaskStatus_isTheOperatorsAlone(t *testing.T) {
	status := client.RawPatch(types.MergePatchType, []byte(`{"status":{"answer":"All is well."}}`))
	finished := task("finished", asking(nil))
	alice := requester(t, "alice", "")
	if err := alice.Create(t.Context(), finished); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, alice, finished) })
	grant(t, "mallory", "admin")
	cases := []struct {
		name string
		who  client.Client
		want string
	}{
		{"the requester", alice, `cannot patch resource "agenttasks/status"`},
		{"the namespace's admin", as(t, "mallory"), `cannot patch resource "agenttasks/status"`},
		{"a cluster admin", admin(t), "the status is written by the operator (" + policy.DefaultOperator + ") alone"},
		{"an account of the operator's name elsewhere", as(t, "system:serviceaccount:shop:eclusier-operator", "system:masters"), "the status is written by the operator"},
		{"the operator", as(t, policy.DefaultOperator), ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.who.Status().Patch(t.Context(), finished.DeepCopy(), status)
			if tc.want == "" && err != nil {
				t.Fatalf("refused: %v", err)
			}
			if tc.want != "" {
				expectRefusal(t, err, tc.want)
			}
		})
	}
}

func TestAgentTaskStatus_cannotBeSentAlong(t *testing.T) {
	object := task("prejudged", asking(nil))
	object.Object["status"] = fields{"answer": "All is well."}
	if err := requester(t, "alice", "").Create(t.Context(), object, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	if _, found := object.Object["status"]; found {
		t.Errorf("a task was created with a status of the client's: %v", object.Object["status"])
	}
}

func TestAgentTaskStatus_bounds(t *testing.T) {
	ctx, operator := t.Context(), as(t, policy.DefaultOperator)
	object := &v1alpha1.AgentTask{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "bounds"}, Spec: v1alpha1.AgentTaskSpec{Prompt: "Is all well?"}}
	alice := requester(t, "alice", "")
	if err := alice.Create(ctx, object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, alice, object) })
	if err := operator.Status().Patch(ctx, withStatus(object, fullStatus()), client.MergeFrom(object)); err != nil {
		t.Fatalf("a status at its bounds is refused: %v", err)
	}
	cases := []struct {
		name   string
		exceed func(*v1alpha1.AgentTaskStatus)
		want   string
	}{
		{"one finding more", func(s *v1alpha1.AgentTaskStatus) { s.Findings = append(s.Findings, finding("one-more")) }, "status.findings"},
		{"the same finding twice", func(s *v1alpha1.AgentTaskStatus) { s.Findings[1].ID = s.Findings[0].ID }, "Duplicate value"},
		{"evidence without a source", func(s *v1alpha1.AgentTaskStatus) { s.Findings[0].Evidence[0].Source = "" }, "source"},
		{"a longer answer", func(s *v1alpha1.AgentTaskStatus) { s.Answer += "x" }, "status.answer"},
		{"a confidence that is no number", func(s *v1alpha1.AgentTaskStatus) { s.Classification.Confidence = "high" }, "confidence"},
		{"a target that is two things", func(s *v1alpha1.AgentTaskStatus) { s.Targets[0].Host = "db" }, "either an object or a host"},
		{"a degradation that is none", func(s *v1alpha1.AgentTaskStatus) { s.Degradation = 5 }, "status.degradation"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			status := fullStatus()
			tc.exceed(&status)
			err := operator.Status().Patch(t.Context(), withStatus(object, status), client.MergeFrom(object), client.DryRunAll)
			expectRefusal(t, err, tc.want)
		})
	}
}

func withStatus(object *v1alpha1.AgentTask, status v1alpha1.AgentTaskStatus) *v1alpha1.AgentTask {
	with := object.DeepCopy()
	with.Status = status
	return with
}
