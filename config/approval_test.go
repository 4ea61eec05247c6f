package config_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

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

const (
	digest      = "sha256:1111111111111111111111111111111111111111111111111111111111111111"
	otherDigest = "sha256:2222222222222222222222222222222222222222222222222222222222222222"
)

// approval is a question as the operator asks it, about a change of class High that alice wants.
func approval(name string, more fields) *unstructured.Unstructured {
	spec := fields{
		"changeRequestRef": fields{"name": "scale-web", "uid": "u-1"}, "purpose": "Apply", "revision": int64(1), "planDigest": digest,
		"class": "High", "requestedBy": fields{"username": "alice", "uid": "uid-of-alice"}, "summary": "scale Deployment shop/web from 1 to 3",
		"risk": fields{"class": "High", "impact": "High", "reversibility": "Reversible"}, "slot": int64(1),
		"expiresAt": "2030-01-01T00:00:00Z", "selfApproval": "Forbid",
	}
	maps.Copy(spec, more)
	object := &unstructured.Unstructured{Object: fields{"spec": spec}}
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Approval"))
	object.SetNamespace("default")
	object.SetName(name)
	return object
}

// asked is that question, put by the operator for the time of the test.
func asked(t *testing.T, more fields) *unstructured.Unstructured {
	t.Helper()
	object := approval("asked", more)
	object.SetLabels(map[string]string{"eclusier.io/change": "scale-web"})
	object.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: "ChangeRequest", Name: "scale-web", UID: "u-1", Controller: new(true),
	}})
	if err := as(t, policy.DefaultOperator).Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, as(t, collector, "system:masters"), object) })
	return object
}

// collector deletes what an object leaves behind.
const collector = "system:serviceaccount:kube-system:generic-garbage-collector"

// merge is the patch of spec that a person types.
func merge(spec fields) client.Patch {
	patch, err := json.Marshal(fields{"spec": spec})
	if err != nil {
		panic(err)
	}
	return client.RawPatch(types.MergePatchType, patch)
}

func textAt(object *unstructured.Unstructured, path ...string) string {
	text, _, _ := unstructured.NestedString(object.Object, path...)
	return text
}

// person acts as a user with a uid and groups, as an authenticator would supply them.
func person(t *testing.T, name, uid string, groups ...string) client.Client {
	t.Helper()
	config := rest.CopyConfig(cluster.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: name, UID: uid, Groups: groups}
	c, err := client.New(config, client.Options{Scheme: cluster.scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// agrees is the answer that the operator prints for people to send.
func agrees() fields { return fields{"decision": "Approved", "acknowledgedDigest": digest} }

func agreesWith(more fields) fields {
	answer := agrees()
	maps.Copy(answer, more)
	return answer
}

// patchers lets users patch Approvals in the namespace default, without any right to decide.
func patchers(t *testing.T, users ...string) {
	t.Helper()
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "patcher"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"eclusier.io"}, Resources: []string{"approvals"}, Verbs: []string{"get", "patch"}}},
	}
	c := admin(t)
	if err := c.Create(t.Context(), role); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, c, role) })
	for _, user := range users {
		grant(t, user, "patcher")
	}
}

func TestApproval_decided(t *testing.T) {
	for _, user := range []string{"alice", "bob", "carol"} {
		grant(t, user, "eclusier-approver-high")
	}
	cases := []struct {
		name     string
		who      client.Client
		question fields
		answer   fields
		by       string
	}{
		{"agreed to", person(t, "bob", ""), nil, agrees(), "bob"},
		{"refused, which acknowledges nothing", person(t, "bob", ""), nil, fields{"decision": "Rejected", "reason": "not on a Friday"}, "bob"},
		{"agreed to with a reason", person(t, "bob", ""), nil, agreesWith(fields{"reason": "seen"}), "bob"},
		{"a change of a lower class", person(t, "bob", ""), fields{"class": "Low"}, agrees(), "bob"},
		{"the requester's own change where a policy allows it", person(t, "alice", "uid-of-alice"), fields{"selfApproval": "Allow"}, agrees(), "alice"},
		{"whether to accept a result", person(t, "bob", ""), fields{"purpose": "AcceptResult"}, agrees(), "bob"},
		{"by one whom a policy names", person(t, "bob", ""), approvers("User", "bob"), agrees(), "bob"},
		{"by one of a group that a policy names", person(t, "bob", "", "sre"), approvers("Group", "sre"), agrees(), "bob"},
		{"by one in very many groups, of which very many policies speak", person(t, "bob", "", groupsOf(490)...), crowdedApprovers(490), agrees(), "bob"},
		{"by a cluster administrator, who holds every verb", person(t, "root", "", "system:masters"), nil, agrees(), "root"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			object := asked(t, tc.question)
			if err := tc.who.Patch(t.Context(), object, merge(tc.answer)); err != nil {
				t.Fatalf("refused: %v", err)
			}
			if got := textAt(object, "spec", "decidedBy", "username"); got != tc.by {
				t.Errorf("decidedBy = %q, want %q", got, tc.by)
			}
		})
	}
}

// approvers is the question of a policy that names one approver, beside one that names bob and a group.
func approvers(kind, name string) fields {
	set := func(policy string, subjects ...any) fields { return fields{"policy": policy, "subjects": subjects} }
	return fields{"approvers": list(
		set("everywhere", fields{"kind": "Group", "name": "system:authenticated"}), set("production", fields{"kind": kind, "name": name}))}
}

// groupsOf are the groups of someone who is in many.
func groupsOf(count int) []string {
	groups := make([]string, count)
	for i := range groups {
		groups[i] = fmt.Sprintf("cn=team-%d,ou=groups,dc=example,dc=org", i)
	}
	return groups
}

// crowdedApprovers are as many approvers as a question can name; only the last of each policy is among those groups.
func crowdedApprovers(count int) fields {
	var sets []any
	for policy := range 10 {
		var subjects []any
		for i := range 49 {
			subjects = append(subjects, fields{"kind": "Group", "name": fmt.Sprintf("cn=others-%d,ou=groups,dc=example,dc=org", i)})
		}
		last := groupsOf(count)[count-1]
		sets = append(sets, fields{"policy": fmt.Sprintf("policy-%d", policy), "subjects": append(subjects, fields{"kind": "Group", "name": last})})
	}
	return fields{"approvers": sets}
}

func TestApproval_deciderIsStamped(t *testing.T) {
	grant(t, "bob", "eclusier-approver-high")
	forged := fields{"username": "carol", "uid": "u-9", "groups": list("system:masters")}
	many := groupsOf(1200)
	cases := []struct {
		name   string
		uid    string
		groups []string
		sent   any
		want   fields
	}{
		{"nothing sent", "", nil, nil, fields{"username": "bob", "groups": list("system:authenticated")}},
		{"with uid and groups", "u-1", []string{"sre"}, nil, fields{"username": "bob", "uid": "u-1", "groups": list("sre", "system:authenticated")}},
		{"over another's name", "", nil, forged, fields{"username": "bob", "groups": list("system:authenticated")}},
		{"of someone in many groups", "", many[:499], nil, fields{"username": "bob", "groups": append(anys(many[:499]), "system:authenticated")}},
		{"of someone in more groups than are kept", "", many, nil, fields{"username": "bob", "groups": anys(many[:500])}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			object, answer := asked(t, nil), agrees()
			if tc.sent != nil {
				answer["decidedBy"] = tc.sent
			}
			if err := person(t, "bob", tc.uid, tc.groups...).Patch(t.Context(), object, merge(answer)); err != nil {
				t.Fatal(err)
			}
			got, _, err := unstructured.NestedMap(object.Object, "spec", "decidedBy")
			if err != nil || !equal(got, tc.want) {
				t.Errorf("decidedBy = %v (%v), want %v", got, err, tc.want)
			}
		})
	}
}

func TestApproval_refused(t *testing.T) {
	for _, user := range []string{"alice", "alice2", "bob"} {
		grant(t, user, "eclusier-approver-high")
	}
	grant(t, "dave", "eclusier-approver-medium")
	patchers(t, "carol")
	bob, own := person(t, "bob", ""), "you asked for this change, so somebody else has to decide: to withdraw it, set spec.cancel of ChangeRequest scale-web"
	verb := `you may not decide about changes of class High in namespace default: that takes the verb "approve" on changeclasses/high of the group ` +
		"eclusier.io, which the ClusterRole eclusier-approver-high grants where a cluster administrator binds it"
	unseen := "it says that you have seen this plan and not another one"
	question := "only decision, acknowledgedDigest and reason of an Approval can be written: everything else is the question as it was asked"
	cases := []struct {
		name     string
		who      client.Client
		question fields
		answer   fields
		want     string
	}{
		{"the requester's own change", person(t, "alice", ""), nil, agrees(), own},
		{"the requester's own change, refused by himself", person(t, "alice", ""), nil, fields{"decision": "Rejected"}, own},
		{"the requester under a new name", person(t, "alice2", "uid-of-alice"), nil, agrees(), own},
		{"the requester's own result", person(t, "alice", ""), fields{"purpose": "AcceptResult"}, agrees(), own},
		{"by one who may only patch", person(t, "carol", ""), nil, agrees(), verb},
		{"by one who may decide about lesser classes", person(t, "dave", ""), nil, agrees(), verb},
		{"a refusal by one who may not decide", person(t, "dave", ""), nil, fields{"decision": "Rejected"}, verb},
		{"by one whom a policy does not name", bob, approvers("User", "carol"), agrees(), "you are not among the approvers that ChangePolicy production names"},
		{"by one named like a group of approvers", bob, approvers("Group", "bob"), agrees(), "ChangePolicy production names"},
		{"by one in a group named like an approver", person(t, "bob", "", "carol"), approvers("User", "carol"), agrees(), "ChangePolicy production names"},
		{"unseen", bob, nil, fields{"decision": "Approved"}, unseen},
		{"having seen another plan", bob, nil, fields{"decision": "Approved", "acknowledgedDigest": otherDigest}, unseen},
		{"with the digest of another plan put under it", bob, nil,
			fields{"decision": "Approved", "acknowledgedDigest": otherDigest, "planDigest": otherDigest}, question},
		{"with a lesser class put under it", person(t, "dave", ""), nil, agreesWith(fields{"class": "Low"}), question},
		{"with another requester put under it", person(t, "alice", ""), nil, agreesWith(fields{"requestedBy": fields{"username": "bob"}}), question},
		{"with its own approval allowed by itself", person(t, "alice", ""), nil, agreesWith(fields{"selfApproval": "Allow"}), question},
		{"with the approvers taken away", bob, approvers("User", "carol"), agreesWith(fields{"approvers": nil}), question},
		{"with a longer life put under it", bob, nil, agreesWith(fields{"expiresAt": "2040-01-01T00:00:00Z"}), question},
		{"the question changed beforehand", bob, nil, fields{"summary": "nothing to see"}, question},
		{"a digest before the decision", bob, nil, fields{"acknowledgedDigest": digest}, "set spec.decision to Approved or Rejected in the same request"},
		{"a name before the decision", bob, nil, fields{"decidedBy": fields{"username": "carol"}}, "set spec.decision to Approved or Rejected in the same request"},
		{"by signature", bob, nil, agreesWith(fields{"signature": "-----BEGIN SSH SIGNATURE-----"}), "not supported yet: decisions through Git are not taken"},
		{"neither yes nor no", bob, nil, fields{"decision": "Maybe"}, `supported values: "Pending", "Approved", "Rejected"`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			expectRefusal(t, tc.who.Patch(t.Context(), asked(t, tc.question), merge(tc.answer)), tc.want)
		})
	}
}

// TestApproval_personsAlone lets everything decide that is no person, with every right there is.
func TestApproval_personsAlone(t *testing.T) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "bot"}}
	c := admin(t)
	if err := c.Create(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, c, account) })
	grant(t, "system:serviceaccount:default:bot", "cluster-admin")
	bot, err := client.New(withToken(t, account), client.Options{Scheme: cluster.scheme})
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name string
		who  client.Client
		want string
	}{
		{"a service account with its token", bot, "system:serviceaccount:default:bot is a service account"},
		{"a service account in another's guise", as(t, "system:serviceaccount:shop:x", "system:masters"), "a person decides"},
		{"one that is among service accounts", as(t, "robot", "system:serviceaccounts", "system:masters"), "a person decides"},
		{"a node", as(t, "system:node:worker-1", "system:nodes", "system:masters"), "a person decides"},
		{"a node's name alone", as(t, "system:node:worker-1", "system:masters"), "a person decides"},
		{"the scheduler", as(t, "system:kube-scheduler", "system:masters"), "a person decides"},
		{"nobody in particular", as(t, "system:anonymous", "system:masters"), "a person decides"},
		{"the garbage collector", as(t, collector, "system:masters"), "a person decides"},
		{"the operator", as(t, policy.DefaultOperator, "system:masters"), "the operator asks and never answers: a person decides"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			object := asked(t, nil)
			for _, answer := range []fields{agrees(), {"decision": "Rejected"}} {
				expectRefusal(t, tc.who.Patch(t.Context(), object.DeepCopy(), merge(answer)), tc.want)
			}
		})
	}
}

func TestApproval_isDecidedOnce(t *testing.T) {
	grant(t, "bob", "eclusier-approver-critical")
	decided := "this Approval has been decided, and a decision is never changed: to stop the change, set spec.cancel of"
	cases := []struct {
		name   string
		first  fields
		second fields
	}{
		{"flipped to no", agrees(), fields{"decision": "Rejected"}},
		{"flipped to yes", fields{"decision": "Rejected"}, agrees()},
		{"taken back", agrees(), fields{"decision": "Pending", "acknowledgedDigest": nil, "decidedBy": nil}},
		{"given another reason", agreesWith(fields{"reason": "seen"}), fields{"reason": "never said so"}},
		{"given another name", agrees(), fields{"decidedBy": fields{"username": "carol"}}},
		{"without the acknowledgement", fields{"decision": "Rejected", "acknowledgedDigest": digest}, fields{"acknowledgedDigest": nil}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			object, bob := asked(t, nil), person(t, "bob", "")
			if err := bob.Patch(t.Context(), object, merge(tc.first)); err != nil {
				t.Fatal(err)
			}
			for _, again := range []client.Client{bob, admin(t)} {
				expectRefusal(t, again.Patch(t.Context(), object.DeepCopy(), merge(tc.second)), decided)
			}
			if err := bob.Patch(t.Context(), object, merge(tc.first)); err != nil {
				t.Errorf("the same decision sent again is refused: %v", err)
			}
			expectRefusal(t, admin(t).Patch(t.Context(), object.DeepCopy(), merge(tc.first)), "bob has decided this Approval. Each person decides another one")
		})
	}
}

func anys(items []string) []any {
	converted := make([]any, len(items))
	for i, item := range items {
		converted[i] = item
	}
	return converted
}

// equal compares what JSON carries.
func equal(a, b fields) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && slices.Equal(x, y)
}

func TestApproval_deciderStaysOnApply(t *testing.T) {
	grant(t, "bob", "eclusier-approver-high")
	object, bob := asked(t, nil), person(t, "bob", "")
	for range 2 {
		err := bob.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(answerAlone(object)), client.FieldOwner("bob"), client.ForceOwnership)
		if err != nil {
			t.Fatal(err)
		}
		if err := bob.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			t.Fatal(err)
		}
		if got := textAt(object, "spec", "decidedBy", "username"); got != "bob" {
			t.Errorf("decidedBy = %q, want bob", got)
		}
	}
}
