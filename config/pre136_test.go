package config_test

import (
	"context"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/eclusier/eclusier/config/policy"
	"github.com/eclusier/eclusier/internal/guard"
)

// withoutStamp is an API server as Kubernetes 1.30 to 1.35 have it: no admission policy there can write anything.
func withoutStamp(t *testing.T) *installed {
	t.Helper()
	environment := &envtest.Environment{BinaryAssetsDirectory: cluster.programs, ControlPlaneStartTimeout: patience, ControlPlaneStopTimeout: patience}
	environment.ControlPlane.GetAPIServer().Configure().
		Set("runtime-config", "admissionregistration.k8s.io/v1/mutatingadmissionpolicies=false,admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings=false").
		Append("disable-admission-plugins", "MutatingAdmissionPolicy")
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	})
	server, err := install(t.Context(), config, environment.KubeConfig, "pre-1.36")
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func TestBefore136(t *testing.T) {
	server := withoutStamp(t)
	alice, err := server.client("alice", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("the guard is in place", func(t *testing.T) {
		g, err := guard.New(policy.DefaultOperator)
		if err != nil {
			t.Fatal(err)
		}
		verdict, err := g.Check(t.Context(), alice)
		if err != nil {
			t.Fatal(err)
		}
		if !verdict.InPlace() || verdict.Stamp != guard.StampByClient {
			t.Errorf("verdict = %s, %q", verdict.Stamp, verdict.Message())
		}
	})
	cases := []struct {
		name string
		sent any
		want string
	}{
		{"her own name is taken", fields{"username": "alice"}, ""},
		{"no name is refused with what to add", nil, `add requestedBy: {username: "alice"}`},
		{"another's name is refused", fields{"username": "bob"}, `spec.requestedBy.username must be your own name, "alice"`},
		{"another's uid is refused", fields{"username": "alice", "uid": "u-9"}, "spec.requestedBy.uid must be your own uid"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			spec := asking(nil)
			if tc.sent != nil {
				spec["requestedBy"] = tc.sent
			}
			err := alice.Create(t.Context(), task("unstamped", spec), client.DryRunAll)
			if tc.want != "" {
				expectRefusal(t, err, tc.want)
				return
			}
			if err != nil {
				t.Fatalf("refused: %v", err)
			}
		})
	}
	testDecisionsBefore136(t, server, alice)
	t.Run("a change of the requester is refused even where the kind's own rules are gone", func(t *testing.T) {
		named := fields{"requestedBy": fields{"username": "alice"}}
		testPolicyAlone(t, alice, task("kept", asking(named)), "agenttasks", "eclusier-check-requester")
		testPolicyAlone(t, alice, change("kept", wanting(named)), "changerequests", "eclusier-check-change")
	})
}

// testPolicyAlone takes the rules out of the CRD, so that the admission policy is the only one to refuse.
func testPolicyAlone(t *testing.T, c client.Client, object *unstructured.Unstructured, resource, policy string) {
	t.Helper()
	ctx := t.Context()
	if err := c.Create(ctx, object); err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = resource + ".eclusier.io"
	path := "/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations"
	ruleless := client.RawPatch(types.JSONPatchType, []byte(`[{"op":"remove","path":"`+path+`"}]`))
	if err := c.Patch(ctx, crd, ruleless); err != nil {
		t.Fatal(err)
	}
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		refusal := c.Patch(ctx, object.DeepCopy(), merge(fields{"requestedBy": fields{"username": "bob"}}))
		if refusal == nil {
			t.Fatal("accepted")
		}
		return strings.Contains(refusal.Error(), "ValidatingAdmissionPolicy '"+policy+"'"), nil
	})
	if err != nil {
		t.Fatalf("the policy did not refuse it: %v", err)
	}
}
