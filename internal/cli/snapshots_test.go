package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/cli"
	"github.com/eclusier/eclusier/internal/transcript"
)

// checkout is the Deployment of the snapshots.
func checkout(replicas int32, version string, fill ...func(*appsv1.Deployment)) *appsv1.Deployment {
	d := &appsv1.Deployment{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "checkout", UID: "d1", Generation: int64(replicas),
			Annotations: map[string]string{"deployment.kubernetes.io/revision": version},
		},
		Spec: appsv1.DeploymentSpec{Replicas: ptr.To(replicas)},
	}
	d.Spec.Template.Spec.Containers = []corev1.Container{{
		Name: "checkout", Image: "r.example/checkout:" + version, Env: []corev1.EnvVar{{Name: "DB_PASSWORD", Value: "hunter2-" + version}},
	}}
	for _, f := range fill {
		f(d)
	}
	return d
}

// snapshotOf keeps objects as they were before a change.
func snapshotOf(t *testing.T, before ...client.Object) keptDouble {
	t.Helper()
	bundle := change.Bundle{Plan: change.Plan{ChangeUID: "u1", Revision: 1}}
	entry := transcript.Entry{
		Key: transcript.Key{Kind: transcript.KindPlan, Namespace: "shop", Name: "mine", UID: "u1", Revision: 1},
		Ref: "plan-0f3c-1", Made: noon.Add(-time.Hour),
	}
	for _, o := range before {
		if o == nil {
			bundle.View.Before = append(bundle.View.Before, nil)
			continue
		}
		data, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		bundle.View.Before = append(bundle.View.Before, data)
		version, kind := o.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
		entry.Holds = append(entry.Holds, transcript.Object{APIVersion: version, Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()})
	}
	content, err := bundle.Encode()
	if err != nil {
		t.Fatal(err)
	}
	other := entry
	other.Name, other.UID, other.Revision, other.Holds = "yours", "u9", 3, []transcript.Object{{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "a"}, {Kind: "ConfigMap", APIVersion: "v1", Namespace: "shop", Name: "b"},
		{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "c"}, {APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "d"}}
	return keptDouble{entries: []transcript.Entry{entry, other}, content: map[string][]byte{"u1": content}}
}

func settings() *corev1.ConfigMap {
	c := configMap("settings", nil)
	c.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}
	c.UID, c.ResourceVersion = "c1", "17"
	c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "gone", UID: "g1"}}
	return c
}

func TestSnapshots_lists(t *testing.T) {
	s := &shell{t: t, tasks: newTasks(t, theChange(waitingFor, done)), kept: snapshotOf(t, checkout(2, "1"))}
	golden(t, "snapshots-ls.golden", s.run("snapshots", "ls").out)
	golden(t, "snapshots-ls.json", s.run("snapshots", "ls", "-o", "json").out)
	if got := s.run("snapshots", "ls", "deployment/checkout"); strings.Contains(got.out, "yours") || !strings.Contains(got.out, "mine@1") {
		t.Errorf("of one object: %q", got.out)
	}
	s.kept = keptDouble{}
	if got := s.run("snapshots", "ls"); got.code != cli.ExitDone || got.err != "No snapshots in namespace shop.\n" {
		t.Errorf("of none: exit code %d, %q", got.code, got.err)
	}
}

func TestSnapshots_showWhatRestoringWouldChange(t *testing.T) {
	s := &shell{t: t, tasks: newTasks(t, checkout(5, "2")), kept: snapshotOf(t, checkout(2, "1"), settings())}
	got := s.run("snapshots", "diff", "mine")
	golden(t, "snapshots-diff.golden", got.out)
	if strings.Contains(got.out, "hunter2") {
		t.Error("shows a password")
	}
	s.kept = snapshotOf(t, checkout(5, "2", func(d *appsv1.Deployment) { d.Status.ReadyReplicas = 5 }))
	if got := s.run("snapshots", "diff", "mine@1"); got.out != "Everything is as it was.\n" {
		t.Errorf("of the same: %q, %q", got.out, got.err)
	}
}

func TestSnapshots_proposeToRestore(t *testing.T) {
	for _, c := range []struct {
		name string
		now  []client.Object
		was  []client.Object
		args []string
		want string
	}{
		{"what was changed is patched back", []client.Object{checkout(5, "1")}, []client.Object{checkout(2, "1")}, nil,
			`[{"patch":{"target":{"apiVersion":"apps/v1","kind":"Deployment","namespace":"shop","name":"checkout"},"type":"Merge","patch":"{\"spec\":{\"replicas\":2}}"}}]`},
		{"what was added is taken away", []client.Object{checkout(2, "1", func(d *appsv1.Deployment) { d.Spec.Paused = true })}, []client.Object{checkout(2, "1")}, nil,
			`[{"patch":{"target":{"apiVersion":"apps/v1","kind":"Deployment","namespace":"shop","name":"checkout"},"type":"Merge","patch":"{\"spec\":{\"paused\":null}}"}}]`},
		{"what is gone is made again, without an owner that is gone", nil, []client.Object{settings()}, nil,
			`[{"apply":{"manifest":{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"name":"settings","namespace":"shop"}}}}]`},
		{"what is as it was is left alone, and what the change made too", []client.Object{checkout(2, "1")}, []client.Object{checkout(2, "1"), settings(), nil}, nil,
			`[{"apply":{"manifest":{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"name":"settings","namespace":"shop"}}}}]`},
		{"one object of several", []client.Object{checkout(5, "1")}, []client.Object{checkout(2, "1"), settings()}, []string{"configmap/settings"},
			`[{"apply":{"manifest":{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"name":"settings","namespace":"shop"}}}}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t, tasks: newTasks(t, c.now...), kept: snapshotOf(t, c.was...)}
			got := s.run(append([]string{"snapshots", "restore", "mine"}, c.args...)...)
			if got.code != cli.ExitDone {
				t.Fatalf("exit code %d, %q", got.code, got.err)
			}
			made := proposed(t, s.tasks)
			if ops := asJSON(t, made.Spec.Kubernetes.Operations); ops != c.want {
				t.Errorf("the operations are\n%s\nwant\n%s", ops, c.want)
			}
			if !strings.Contains(made.Spec.Reason, "before change mine") {
				t.Errorf("the reason is %q", made.Spec.Reason)
			}
		})
	}
}

func TestSnapshots_refuse(t *testing.T) {
	secret := &corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "key"}}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "", nil)
	for _, c := range []struct {
		name string
		kept keptDouble
		args []string
		want string
	}{
		{"those who may not see them", keptDouble{err: forbidden}, []string{"ls"}, "Role eclusier-snapshot-viewer"},
		{"those who may not see one", keptDouble{err: forbidden}, []string{"diff", "mine"}, "Role eclusier-snapshot-viewer"},
		{"what is not kept", snapshotOf(t, checkout(2, "1")), []string{"diff", "his"}, "snapshots ls -n shop lists those there are"},
		{"a revision that is not kept", snapshotOf(t, checkout(2, "1")), []string{"diff", "mine@7"}, "there is no snapshot mine@7"},
		{"a revision that is none", snapshotOf(t, checkout(2, "1")), []string{"diff", "mine@x"}, "CHANGE or CHANGE@REVISION"},
		{"an object that is not in it", snapshotOf(t, checkout(2, "1")), []string{"restore", "mine", "deployment/web"}, "does not hold deployment/web"},
		{"a snapshot of nothing", snapshotOf(t, nil), []string{"restore", "mine"}, "holds no object"},
		{"to restore what is as it was", snapshotOf(t, checkout(2, "1")), []string{"restore", "mine"}, "nothing is to be restored"},
		{"to restore a Secret", snapshotOf(t, secret), []string{"restore", "mine"}, "Secrets are not changed through eclusier"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t, tasks: newTasks(t, checkout(2, "1")), kept: c.kept}
			if got := s.run(append([]string{"snapshots"}, c.args...)...); got.code != cli.ExitTrouble || !strings.Contains(got.err, c.want) {
				t.Errorf("exit code %d, %q; want %q", got.code, got.err, c.want)
			}
		})
	}
}

func TestReview_readsTheDiffFromTheStoreWhereNobodyWasAsked(t *testing.T) {
	bundle := change.Bundle{Plan: change.Plan{ChangeUID: "u1", Revision: 1}, View: change.View{Diff: diffText}}
	content, err := bundle.Encode()
	if err != nil {
		t.Fatal(err)
	}
	its, err := bundle.Plan.Digest()
	if err != nil {
		t.Fatal(err)
	}
	made := theChange(waitingFor, done)
	made.Status.Plan.Digest = its
	s := &shell{t: t, tasks: newTasks(t, made), kept: keptDouble{content: map[string][]byte{"u1": content}}}
	if got := s.run("review", "mine"); !strings.Contains(got.out, "+  replicas: 3") {
		t.Errorf("shows %q", got.out)
	}
	made.Status.Plan.Digest = digest
	s.tasks = newTasks(t, made)
	if got := s.run("review", "mine"); strings.Contains(got.out, "+  replicas: 3") {
		t.Error("shows a plan that is not the one of the status")
	}
}
