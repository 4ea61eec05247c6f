package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/hack/local"
	"github.com/eclusier/eclusier/test/stage"
)

const (
	namespace = "shop"
	// patience is how long a change may take on a machine that is busy with other things.
	patience = 60 * time.Second
	// maxWrites is what a change of one operation may cost the API server.
	maxWrites = 14
)

// theatre is an API server, an operator that reaches it through the proxy, and the people who ask and agree.
type theatre struct {
	*testing.T
	scene      *stage.Stage
	proxy      *proxy
	operator   *local.Operator
	alice, bob client.Client
	lives      int
}

// TestOperator_killedAtEveryWriteOfAChange proves that whatever moment the operator dies at, the change's effect is had
// once, its record is true, and its end is reached.
func TestOperator_killedAtEveryWriteOfAChange(t *testing.T) {
	th := raise(t)
	for _, when := range []moment{instead, after} {
		for at := 1; ; at++ {
			name := fmt.Sprintf("at-%d-%s", at, map[moment]string{instead: "before", after: "after"}[when])
			struck, writes := th.play(name, at, when)
			if t.Failed() {
				t.Fatalf("killed at write %d, %s: %v", at, when, writes)
			}
			if !struck {
				if len(writes) > maxWrites {
					t.Errorf("a change of one operation costs %d writes, want at most %d: %v", len(writes), maxWrites, writes)
				}
				t.Logf("%s: %d points: %s", when, at-1, strings.Join(writes, ", "))
				break
			}
		}
	}
}

func raise(t *testing.T) *theatre {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	scene, err := stage.Raise(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := scene.Strike(); err != nil {
			t.Error(err)
		}
	})
	if err := scene.Tenant(ctx, namespace); err != nil {
		t.Fatal(err)
	}
	th := &theatre{T: t, scene: scene, alice: as(t, scene, "alice"), bob: as(t, scene, "bob")}
	for who, role := range map[string]string{"alice": "eclusier-requester", "bob": "eclusier-approver-critical"} {
		binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: who},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: who}}}
		if err := scene.Client.Create(ctx, binding); err != nil {
			t.Fatal(err)
		}
	}
	th.proxy = newProxy(t, scene.Config)
	t.Cleanup(func() { th.operator.Stop() })
	th.start()
	return th
}

func as(t *testing.T, scene *stage.Stage, name string) client.Client {
	t.Helper()
	config := scene.User(t, name)
	config.QPS = -1
	c, err := client.New(config, client.Options{Scheme: scene.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// start starts an operator behind the proxy, as another life of the same installation.
func (th *theatre) start() {
	th.Helper()
	th.lives++
	var err error
	if th.operator, err = th.scene.OperatorBehind(th.Context(), fmt.Sprintf("life-%d", th.lives), th.proxy.URL); err != nil {
		th.Fatal(err)
	}
}

// play has alice ask for a change and bob agree to it, kills the operator at a write of the change, starts another, and
// looks at what came of it. It says whether the operator was killed, and what it wrote in its first life.
func (th *theatre) play(name string, at int, when moment) (bool, []string) {
	th.Helper()
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string]string{"mode": "calm"}}
	th.must(th.scene.Client.Create(th.Context(), settings))
	seen, err := th.scene.Client.Watch(th.Context(), &corev1.ConfigMapList{}, client.InNamespace(namespace),
		client.MatchingFields{"metadata.name": name}, &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: settings.ResourceVersion}})
	th.must(err)
	defer seen.Stop()
	th.proxy.arm(at, when, th.operator.Kill)
	th.ask(name)
	var writes []string
	struck, restarted := false, false
	th.until(name, func(c *v1alpha1.ChangeRequest) bool {
		if !restarted {
			if writes, struck = th.proxy.seen(); struck {
				restarted = true
				th.start()
			}
		}
		th.agree(c)
		return c.Status.Result != ""
	})
	c := th.change(name)
	raw, _ := json.MarshalIndent(c.Status, "", " ")
	apply := c.Status.Attempts[0]
	if c.Status.Result != v1alpha1.ResultSucceeded || apply.Outcome != v1alpha1.OutcomeSucceeded || len(apply.OperationsDone) != 1 {
		th.Errorf("the change: %s", raw)
	}
	now := &corev1.ConfigMap{}
	th.must(th.scene.Client.Get(th.Context(), client.ObjectKeyFromObject(settings), now))
	if now.Data["mode"] != "busy" || apply.OperationsDone[0].ResourceVersion != now.ResourceVersion {
		th.Errorf("mode %s in version %s, recorded: %+v", now.Data["mode"], now.ResourceVersion, apply.OperationsDone)
	}
	if changes := changesUpTo(seen.ResultChan(), now.ResourceVersion); changes != 1 {
		th.Errorf("%d changes of the object, want 1", changes)
	}
	th.recordIsTrue(c)
	return struck, writes
}

// recordIsTrue looks at the Approvals and leases of a change that has ended.
func (th *theatre) recordIsTrue(c *v1alpha1.ChangeRequest) {
	th.Helper()
	for _, slot := range c.Status.Approvals {
		apv := &v1alpha1.Approval{}
		th.must(th.scene.Client.Get(th.Context(), client.ObjectKey{Namespace: namespace, Name: slot.Name}, apv))
		if apv.Spec.Decision == v1alpha1.DecisionApproved && apv.Status.ConsumedBy != c.Status.Attempts[0].ID {
			th.Errorf("the Approval %s was used by %q", slot.Name, apv.Status.ConsumedBy)
		}
	}
	leases := &coordinationv1.LeaseList{}
	th.must(th.scene.Client.List(th.Context(), leases, client.InNamespace(local.Namespace), client.HasLabels{"eclusier.io/change-uid"}))
	if len(leases.Items) > 0 {
		th.Errorf("leases are left: %v", leases.Items)
	}
}

// ask has alice ask for mode "busy".
func (th *theatre) ask(name string) {
	th.Helper()
	wanted := &v1alpha1.ChangeRequest{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: v1alpha1.ChangeRequestSpec{Reason: "more visitors", Kubernetes: v1alpha1.KubernetesChange{Operations: []v1alpha1.Operation{{
			Patch: &v1alpha1.PatchOperation{Target: v1alpha1.OperationTarget{Kind: "ConfigMap", Name: name}, Patch: `{"data":{"mode":"busy"}}`}}}}}}
	deadline := time.Now().Add(patience)
	for err := th.alice.Create(th.Context(), wanted.DeepCopy()); err != nil; err = th.alice.Create(th.Context(), wanted.DeepCopy()) {
		if time.Now().After(deadline) {
			th.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // the API server takes a moment to learn new roles and what its policies speak of
	}
}

// agree has bob agree to whatever is asked.
func (th *theatre) agree(c *v1alpha1.ChangeRequest) {
	th.Helper()
	slots := &v1alpha1.ApprovalList{}
	th.must(th.scene.Client.List(th.Context(), slots, client.InNamespace(namespace)))
	for i := range slots.Items {
		apv := &slots.Items[i]
		if apv.Spec.ChangeRequestRef.UID != string(c.UID) || apv.Spec.Decision != v1alpha1.DecisionPending {
			continue
		}
		patch := fmt.Sprintf(`{"spec":{"decision":"Approved","acknowledgedDigest":"%s"}}`, apv.Spec.PlanDigest)
		th.must(th.bob.Patch(th.Context(), apv, client.RawPatch("application/merge-patch+json", []byte(patch))))
	}
}

func (th *theatre) change(name string) *v1alpha1.ChangeRequest {
	th.Helper()
	c := &v1alpha1.ChangeRequest{}
	th.must(th.scene.Client.Get(th.Context(), client.ObjectKey{Namespace: namespace, Name: name}, c))
	return c
}

func (th *theatre) until(name string, wanted func(*v1alpha1.ChangeRequest) bool) {
	th.Helper()
	deadline := time.Now().Add(patience)
	for !wanted(th.change(name)) {
		if time.Now().After(deadline) {
			raw, _ := json.MarshalIndent(th.change(name).Status, "", " ")
			log, _ := os.ReadFile(th.operator.Log())
			th.Fatalf("%s does not end: %s\n%s", name, raw, log)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (th *theatre) must(err error) {
	th.Helper()
	if err != nil {
		th.Fatal(err)
	}
}

// changesUpTo counts the changes of an object until it has the version.
func changesUpTo(events <-chan watch.Event, version string) int {
	changes := 0
	for event := range events {
		if event.Type != watch.Modified {
			continue
		}
		changes++
		if event.Object.(client.Object).GetResourceVersion() == version {
			break
		}
	}
	return changes
}
