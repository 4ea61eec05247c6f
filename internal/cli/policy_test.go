package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/cli"
	"github.com/eclusier/eclusier/internal/pipeline"
)

// plannerDouble plans what it is made of.
type plannerDouble struct {
	planned pipeline.Planned
	err     error
}

// Plan returns the plan.
func (p plannerDouble) Plan(context.Context, pipeline.Request) (*pipeline.Planned, error) {
	one := p.planned
	return &one, p.err
}

// scaling is a plan that scales a Deployment.
func scaling() plannerDouble {
	return plannerDouble{planned: pipeline.Planned{
		Plan: change.Plan{
			ServiceAccount: "shop/eclusier-applier",
			Effects: []change.Effect{{
				Operation: "scale", Verb: change.VerbUpdate, Inverse: &change.Request{},
				Object: change.Object{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "checkout"},
			}},
		},
		View: change.View{
			Summary: "scale Deployment shop/checkout from 2 to 3", Notes: []string{"Deployment shop/checkout: an HPA may set it back"},
			Facts: []change.RiskFacts{{ReplicasFrom: ptr.To(int32(2)), ReplicasTo: ptr.To(int32(3))}},
		},
	}}
}

// policyOf makes a policy for namespaces whose label team is shop.
func policyOf(name string, fill func(*v1alpha1.ChangePolicySpec)) *v1alpha1.ChangePolicy {
	p := &v1alpha1.ChangePolicy{ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 3}}
	p.Spec.NamespaceSelector = metav1.LabelSelector{MatchLabels: map[string]string{"team": "shop"}}
	fill(&p.Spec)
	return p
}

func namespaceShop() *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"team": "shop"}}}
}

const changeFile = `apiVersion: eclusier.io/v1alpha1
kind: ChangeRequest
metadata: {name: mine, namespace: shop}
spec:
  reason: the sale begins
  kubernetes: {operations: [{scale: {target: {kind: deploy, name: checkout}, replicas: 3}}]}
`

// written writes a file and returns its path.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPolicyTest_withTheClusters(t *testing.T) {
	frozen := policyOf("freeze", func(s *v1alpha1.ChangePolicySpec) {
		s.Windows = []v1alpha1.Window{{Name: "lunch", Kind: v1alpha1.WindowFreeze, Schedule: "0 12 * * *", Duration: metav1.Duration{Duration: 2 * 3600e9}, TimeZone: "UTC"}}
		s.Approvers = []v1alpha1.Subject{{Kind: v1alpha1.SubjectGroup, Name: "sre"}}
		s.Quorum = 2
	})
	for _, c := range []struct {
		name    string
		objects []client.Object
		code    int
	}{
		{"default", []client.Object{namespaceShop()}, cli.ExitDone},
		{"frozen", []client.Object{namespaceShop(), frozen}, cli.ExitDone},
		{"denied", []client.Object{namespaceShop(), policyOf("calm", func(s *v1alpha1.ChangePolicySpec) {
			s.Deny = []v1alpha1.ChangeRule{{Name: "no-scaling", Operations: []v1alpha1.OperationName{"scale"}}}
		})}, cli.ExitNoAnswer},
		{"allowed", []client.Object{namespaceShop(), policyOf("free", func(s *v1alpha1.ChangePolicySpec) { s.Autonomy = v1alpha1.AutonomyMatrix })}, cli.ExitDone},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t, tasks: newTasks(t, c.objects...), planner: scaling()}
			got := s.run("policy", "test", "-f", written(t, changeFile))
			if got.code != c.code {
				t.Errorf("exit code %d, %q", got.code, got.err)
			}
			golden(t, "policy-"+c.name+".golden", got.out)
		})
	}
}

func TestPolicyTest_ofWhatCannotBePlanned(t *testing.T) {
	s := &shell{t: t, tasks: newTasks(t), planner: plannerDouble{err: &pipeline.Invalid{
		Reason: v1alpha1.PlannedPlannerForbidden, Message: "eclusier-planner may not patch deployments/scale in namespace shop",
	}}}
	got := s.run("policy", "test", "-f", written(t, changeFile))
	if got.code != cli.ExitNoAnswer || !strings.Contains(got.out, "PlannerForbidden") || !strings.Contains(got.out, "--offline") {
		t.Errorf("exit code %d, %q", got.code, got.out)
	}
	if got := s.run("policy", "test", "-f", written(t, changeFile), "-o", "json"); got.code != cli.ExitNoAnswer || !strings.Contains(got.out, `"reason": "PlannerForbidden"`) {
		t.Errorf("exit code %d, %q", got.code, got.out)
	}
}

const policyFile = `apiVersion: eclusier.io/v1alpha1
kind: ChangePolicy
metadata: {name: careful}
spec:
  namespaceSelector: {matchLabels: {team: shop}}
  autonomy: Matrix
  destructive: Forbid
---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: shop}}
`

func TestPolicyTest_ofAPolicyThatIsNotInForceYet(t *testing.T) {
	s := &shell{t: t, tasks: newTasks(t), planner: scaling()}
	got := s.run("policy", "test", "-f", written(t, changeFile), "--policies", written(t, policyFile))
	if got.code != cli.ExitDone || !strings.HasPrefix(got.out, "Allowed") || !strings.Contains(got.out, "careful@0") {
		t.Errorf("exit code %d, %q, %q", got.code, got.out, got.err)
	}
}

func TestPolicyTest_offline(t *testing.T) {
	of := func(operation string) string {
		return "apiVersion: eclusier.io/v1alpha1\nkind: ChangeRequest\nmetadata: {name: mine, namespace: shop}\nspec: {reason: x, kubernetes: {operations: [" + operation + "]}}\n"
	}
	for _, c := range []struct {
		name, operation string
		code            int
		want            []string
	}{
		{"a scaling", "{scale: {target: {kind: deploy, name: web}, replicas: 3}}", cli.ExitDone,
			[]string{"Allowed", "Deployment shop/web could not be dry-run: no cluster was asked"}},
		{"a deletion that the policy forbids", "{delete: {target: {kind: cm, name: a}}}", cli.ExitNoAnswer, []string{"Denied", "destructive: Forbid, and ConfigMap a would be deleted"}},
		{"a claim deleted", "{delete: {target: {kind: pvc, name: a}}}", cli.ExitNoAnswer, []string{"deleting PersistentVolumeClaim shop/a destroys the data"}},
		{"a Secret", "{apply: {manifest: {apiVersion: v1, kind: Secret, metadata: {name: a}}}}", cli.ExitNoAnswer, []string{"Denied", "Secrets are not changed"}},
		{"a node", "{cordon: {node: n1}}", cli.ExitDone, []string{"Node n1 takes no new pods any more"}},
		{"a role", "{apply: {manifest: {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: a}}}}", cli.ExitDone, []string{"ApprovalRequired", "Role shop/a decides who may do what"}},
		{"a system namespace", "{restart: {target: {kind: DaemonSet, namespace: kube-system, name: a}}}", cli.ExitDone, []string{"ApprovalRequired", "the cluster itself depends on"}},
		{"an object in production", "{apply: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {env: prod}}}}}", cli.ExitDone, []string{"ConfigMap shop/a is in production"}},
		{"a kind of somebody else's", "{patch: {target: {apiVersion: example.org/v1, kind: Widget, name: a}, patch: '{}'}}", cli.ExitDone, []string{"Widget shop/a"}},
		{"an image", "{setImage: {target: {kind: sts, name: a}, image: b}}", cli.ExitDone, []string{"StatefulSet shop/a runs another version"}},
		{"an earlier revision", "{undo: {target: {kind: deployment, name: a}}}", cli.ExitDone, []string{"Deployment shop/a runs another version"}},
		{"a job held", "{suspend: {target: {kind: cronjobs, name: a}}}", cli.ExitDone, []string{"CronJob shop/a is held"}},
		{"a job let go", "{resume: {target: {kind: cj, name: a}}}", cli.ExitDone, []string{"CronJob shop/a is let go on"}},
		{"a node opened", "{uncordon: {node: n1}}", cli.ExitDone, []string{"Node n1 takes new pods again"}},
		{"a deletion of a kind that is forbidden everywhere", "{delete: {target: {apiVersion: eclusier.io/v1alpha1, kind: ChangePolicy, name: a}}}", cli.ExitNoAnswer, []string{"does not change its own objects"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			// No cluster and no planner: asking either would be a crash.
			s := &shell{t: t}
			got := s.run("policy", "test", "-f", written(t, of(c.operation)), "--offline", "--policies", written(t, policyFile), "-o", "json")
			if got.code != c.code {
				t.Errorf("exit code %d, %q", got.code, got.err)
			}
			for _, want := range c.want {
				if !strings.Contains(got.out, want) {
					t.Errorf("lacks %q: %s", want, got.out)
				}
			}
		})
	}
}

func TestPolicyTest_offlineWithLabelsThatAreNotKnown(t *testing.T) {
	const named, doubt = "kubernetes.io/metadata.name", "policy one may fit, and is taken to: the labels of namespace shop are not known"
	for _, c := range []struct {
		name, spec string
		verdict    string
		doubtful   bool
		reason     string
	}{
		{"a policy for the namespace's name forbids it", "namespaceSelector: {matchLabels: {" + named + ": shop}}, deny: [{name: n, operations: [scale]}]", "Denied", false, "every namespace has this label"},
		{"a policy for all namespaces but another forbids it", "namespaceSelector: {matchExpressions: [{key: " + named + ", operator: NotIn, values: [data]}]}, deny: [{name: n, operations: [scale]}]", "Denied", false, "every namespace has this label"},
		{"a policy for another name forbids it", "namespaceSelector: {matchLabels: {" + named + ": data, team: shop}}, deny: [{name: n, operations: [scale]}]", "ApprovalRequired", false, "whatever the other labels are, it does not fit"},
		{"a policy for a label forbids it", "namespaceSelector: {matchLabels: {team: shop}}, deny: [{name: n, operations: [scale]}]", "Denied", true, "it may fit, and the strictest counts"},
		{"a policy for a label asks for two", "namespaceSelector: {matchLabels: {team: shop}}, quorum: 2", "2 different people must agree", true, "it may fit, and the strictest counts"},
		{"a policy for a label allows it", "namespaceSelector: {matchLabels: {team: shop}}, autonomy: Matrix", "ApprovalRequired", true, "it may not fit either, and then the default asks"},
		{"a policy for the lack of a label allows it", "namespaceSelector: {matchExpressions: [{key: frozen, operator: DoesNotExist}]}, autonomy: Matrix", "ApprovalRequired", true, "the label may be there"},
		{"a policy for the name allows it", "namespaceSelector: {matchLabels: {" + named + ": shop}}, autonomy: Matrix", "Allowed", false, "it fits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t}
			policies := "apiVersion: eclusier.io/v1alpha1\nkind: ChangePolicy\nmetadata: {name: one}\nspec: {" + c.spec + "}\n"
			got := s.run("policy", "test", "-f", written(t, changeFile), "--offline", "--policies", written(t, policies))
			if said := strings.Join(strings.Fields(got.out), " "); !strings.Contains(said, c.verdict) || strings.Contains(said, doubt) != c.doubtful {
				t.Errorf("%q, want %q; %s", got.out, c.verdict, c.reason)
			}
			if denied := c.verdict == "Denied"; denied != (got.code == cli.ExitNoAnswer) {
				t.Errorf("exit code %d, %q", got.code, got.err)
			}
		})
	}
}

func TestPolicyTest_judgesForAMoment(t *testing.T) {
	s := &shell{t: t}
	policies := strings.Replace(policyFile, "  destructive: Forbid\n", "  windows: [{name: nights, kind: Allow, schedule: '0 22 * * *', duration: 4h, timeZone: Europe/Paris}]\n", 1)
	run := func(at string) string {
		return s.run("policy", "test", "-f", written(t, changeFile), "--offline", "--policies", written(t, policies), "--at", at).out
	}
	if got := run("2026-03-02T22:30:00+01:00"); !strings.Contains(got, "as soon as it may") {
		t.Errorf("in the window: %q", got)
	}
	if got := run("2026-03-02T12:00:00+01:00"); !strings.Contains(got, "not before 2026-03-02T21:00:00Z, in 10h") {
		t.Errorf("before the window: %q", got)
	}
}

func TestPolicyTest_refusesWhatMakesNoSense(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no file", nil, "-f FILE is missing"},
		{"a moment that is none", []string{"-f", written(t, changeFile), "--at", "noon"}, "2026-12-24T20:00:00Z"},
		{"a policy with a field that there is not", []string{"-f", written(t, changeFile), "--offline", "--policies", written(t, strings.Replace(policyFile, "destructive", "destrucktive", 1))}, `unknown field "destrucktive"`},
		{"everything from standard input", []string{"-f", "-", "--policies", "-"}, "cannot be both"},
		{"no namespace", []string{"-f", written(t, strings.Replace(changeFile, ", namespace: shop", "", 1)), "--offline"}, "give it with -n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t}
			if got := s.run(append([]string{"policy", "test"}, c.args...)...); got.code != cli.ExitTrouble || !strings.Contains(got.err, c.want) {
				t.Errorf("exit code %d, %q; want %q", got.code, got.err, c.want)
			}
		})
	}
}
