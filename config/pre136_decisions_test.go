package config_test

import (
	"context"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/config/policy"
)

// testDecisionsBefore136 lets people name themselves where the API server cannot do it for them.
func testDecisionsBefore136(t *testing.T, server *installed, root client.Client) {
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "approvers"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "eclusier-approver-high"},
		Subjects: []rbacv1.Subject{
			{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "sre"}, {APIGroup: rbacv1.GroupName, Kind: "User", Name: "alice"},
		},
	}
	if err := root.Create(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	bob, alice := server.mustClient(t, "bob", "sre"), server.mustClient(t, "alice")
	as := func(username string, groups ...string) fields {
		name := fields{"username": username}
		if len(groups) > 0 {
			name["groups"] = anys(groups)
		}
		return fields{"decidedBy": name}
	}
	withUID := fields{"decidedBy": fields{"username": "bob", "uid": "u-9"}}
	cases := []struct {
		name   string
		who    client.Client
		answer fields
		want   string
	}{
		{"in one's own name", bob, agreesWith(as("bob")), ""},
		{"in one's own name and groups", bob, agreesWith(as("bob", "sre", "system:authenticated")), ""},
		{"refused in one's own name", bob, fields{"decision": "Rejected", "decidedBy": fields{"username": "bob"}}, ""},
		{"in nobody's name", bob, agrees(),
			`add "decidedBy":{"username":"bob","groups":["sre","system:authenticated"]} to spec, or decide with kubectl eclusier approve`},
		{"in another's name", bob, agreesWith(as("carol")), `spec.decidedBy.username must be your own name, "bob"`},
		{"with another's uid", bob, agreesWith(withUID), "spec.decidedBy.uid must be your own uid: leave it out"},
		{"with another's group", bob, agreesWith(as("bob", "sre", "system:masters")), "spec.decidedBy.groups names a group that you are not in"},
		{"about one's own change in another's name", alice, agreesWith(as("bob")), `spec.decidedBy.username must be your own name, "alice"`},
		{"about one's own change", alice, agreesWith(as("alice")), "you asked for this change, so somebody else has to decide"},
		{"unseen", bob, fields{"decision": "Approved", "decidedBy": fields{"username": "bob"}}, "it says that you have seen this plan and not another one"},
	}
	for _, tc := range cases {
		t.Run("a decision "+tc.name, func(t *testing.T) {
			err := tc.who.Patch(t.Context(), server.askedOn(t), merge(tc.answer))
			if tc.want != "" {
				expectRefusal(t, err, tc.want)
			} else if err != nil {
				t.Fatalf("refused: %v", err)
			}
		})
	}
	t.Run("a change is wanted in one's own name", func(t *testing.T) {
		expectRefusal(t, root.Create(t.Context(), change("unnamed", wanting(nil))), `add requestedBy: {username: "alice"}, or create the change with kubectl eclusier change`)
		forged := change("forged", wanting(fields{"requestedBy": fields{"username": "bob"}}))
		expectRefusal(t, root.Create(t.Context(), forged), `spec.requestedBy.username must be your own name, "alice"`)
		foreign := change("foreign", wanting(fields{"requestedBy": fields{"username": "alice", "uid": "u-9"}}))
		expectRefusal(t, root.Create(t.Context(), foreign), "spec.requestedBy.uid must be your own uid: leave it out")
		own := change("own", wanting(fields{"requestedBy": fields{"username": "alice"}}))
		if err := root.Create(t.Context(), own, client.DryRunAll); err != nil {
			t.Errorf("refused: %v", err)
		}
	})
	t.Run("decisions are held to their rules even where the kind's own are gone", func(t *testing.T) { testDecisionPolicyAlone(t, server, root, bob) })
}

func (s *installed) mustClient(t *testing.T, user string, groups ...string) client.Client {
	t.Helper()
	c, err := s.client(user, groups...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// askedOn is a question that the operator of this server puts.
func (s *installed) askedOn(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	object := approval("", nil)
	object.SetGenerateName("asked-")
	if err := s.mustClient(t, policy.DefaultOperator).Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	return object
}

// testDecisionPolicyAlone takes the rules out of the CRD, so that the admission policy is the only one to refuse.
func testDecisionPolicyAlone(t *testing.T, server *installed, root, bob client.Client) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "approvals.eclusier.io"
	path := "/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations"
	if err := root.Patch(t.Context(), crd, client.RawPatch(types.JSONPatchType, []byte(`[{"op":"remove","path":"`+path+`"}]`))); err != nil {
		t.Fatal(err)
	}
	name := fields{"username": "bob"}
	pending, decided := server.askedOn(t), server.askedOn(t)
	if err := bob.Patch(t.Context(), decided, merge(agreesWith(fields{"decidedBy": name}))); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name   string
		object *unstructured.Unstructured
		patch  fields
		want   string
	}{
		{"flipped", decided, fields{"decision": "Rejected"}, "this Approval has been decided"},
		{"taken back", decided, fields{"decision": "Pending", "decidedBy": nil, "acknowledgedDigest": nil}, "this Approval has been decided"},
		{"the question changed", pending, fields{"summary": "nothing to see"}, "only decision, acknowledgedDigest and reason"},
		{"a rule of the question changed", pending, fields{"selfApproval": "Allow"}, "only decision, acknowledgedDigest and reason"},
		{"a field added to the question", pending, fields{"diff": "none"}, "only decision, acknowledgedDigest and reason"},
		{"unseen", pending, fields{"decision": "Approved", "decidedBy": name}, "spec.acknowledgedDigest must be " + digest},
		{"another plan", pending, fields{"decision": "Approved", "decidedBy": name, "acknowledgedDigest": otherDigest}, "spec.acknowledgedDigest must be " + digest},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
				refusal := bob.Patch(ctx, tc.object.DeepCopy(), merge(tc.patch), client.DryRunAll)
				if refusal == nil {
					t.Fatal("accepted")
				}
				return strings.Contains(refusal.Error(), "ValidatingAdmissionPolicy 'eclusier-check-approval'") && strings.Contains(refusal.Error(), tc.want), nil
			})
			if err != nil {
				t.Fatalf("the policy did not refuse it: %v", err)
			}
		})
	}
}
