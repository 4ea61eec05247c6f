package cli_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cli"
)

// kindsDouble serves some kinds.
func kindsDouble() meta.RESTMapper {
	mapper := meta.NewDefaultRESTMapper(nil)
	for kind, scope := range map[schema.GroupVersionKind]meta.RESTScope{
		{Version: "v1", Kind: "ConfigMap"}:                                              meta.RESTScopeNamespace,
		{Version: "v1", Kind: "Pod"}:                                                    meta.RESTScopeNamespace,
		{Version: "v1", Kind: "Service"}:                                                meta.RESTScopeNamespace,
		{Version: "v1", Kind: "Secret"}:                                                 meta.RESTScopeNamespace,
		{Version: "v1", Kind: "PersistentVolumeClaim"}:                                  meta.RESTScopeNamespace,
		{Version: "v1", Kind: "Namespace"}:                                              meta.RESTScopeRoot,
		{Group: "apps", Version: "v1", Kind: "Deployment"}:                              meta.RESTScopeNamespace,
		{Group: "apps", Version: "v1", Kind: "StatefulSet"}:                             meta.RESTScopeNamespace,
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"}:        meta.RESTScopeRoot,
		{Group: v1alpha1.GroupVersion.Group, Version: "v1alpha1", Kind: "ChangePolicy"}: meta.RESTScopeRoot,
	} {
		mapper.Add(kind, scope)
	}
	return mapper
}

// proposed returns the one change there is.
func proposed(t *testing.T, c client.Client) *v1alpha1.ChangeRequest {
	t.Helper()
	list := &v1alpha1.ChangeRequestList{}
	if err := c.List(context.Background(), list); err != nil || len(list.Items) != 1 {
		t.Fatalf("%d changes, %v", len(list.Items), err)
	}
	return &list.Items[0]
}

func configMap(name string, labels map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: labels}, Data: map[string]string{"a": "1"}}
}

func TestChange_makesTheOperations(t *testing.T) {
	stale := map[string]string{"app": "old"}
	leaving := configMap("old-3", stale)
	leaving.DeletionTimestamp, leaving.Finalizers = &metav1.Time{Time: noon}, []string{"example.org/wait"}
	objects := []client.Object{
		configMap("web", nil), configMap("old-1", stale), configMap("old-2", stale), configMap("other", nil), leaving,
	}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"scale", []string{"scale", "deployment/checkout", "--replicas", "3"}, `[{"scale":{"target":{"kind":"deployment","name":"checkout"},"replicas":3}}]`},
		{"scale to nothing", []string{"scale", "sts/shop/db", "--replicas=0"}, `[{"scale":{"target":{"kind":"sts","namespace":"shop","name":"db"},"replicas":0}}]`},
		{"several in kubectl's way", []string{"restart", "deploy", "web", "api"}, `[{"restart":{"target":{"kind":"deploy","name":"web"}}},{"restart":{"target":{"kind":"deploy","name":"api"}}}]`},
		{"a kind with its group", []string{"restart", "deployments.apps/web"}, `[{"restart":{"target":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}}}]`},
		{"one image", []string{"set", "image", "deploy/cart", "r.example/cart:1.4"}, `[{"setImage":{"target":{"kind":"deploy","name":"cart"},"image":"r.example/cart:1.4"}}]`},
		{"two images", []string{"set", "image", "deploy/cart", "cart=r.example/cart@sha256:ab", "log=l:2"},
			`[{"setImage":{"target":{"kind":"deploy","name":"cart"},"container":"cart","image":"r.example/cart@sha256:ab"}},{"setImage":{"target":{"kind":"deploy","name":"cart"},"container":"log","image":"l:2"}}]`},
		{"undo", []string{"undo", "deploy/web"}, `[{"undo":{"target":{"kind":"deploy","name":"web"}}}]`},
		{"undo to a revision", []string{"undo", "deploy/web", "--to-revision", "4"}, `[{"undo":{"target":{"kind":"deploy","name":"web"},"toRevision":4}}]`},
		{"suspend", []string{"suspend", "cronjob/report"}, `[{"suspend":{"target":{"kind":"cronjob","name":"report"}}}]`},
		{"resume", []string{"resume", "cj/report"}, `[{"resume":{"target":{"kind":"cj","name":"report"}}}]`},
		{"cordon", []string{"cordon", "node-1", "node/node-2"}, `[{"cordon":{"node":"node-1"}},{"cordon":{"node":"node-2"}}]`},
		{"uncordon", []string{"uncordon", "node-1"}, `[{"uncordon":{"node":"node-1"}}]`},
		{"patch", []string{"patch", "cm/web", "-p", `{"data":{"a":"2"}}`}, `[{"patch":{"target":{"kind":"cm","name":"web"},"type":"Merge","patch":"{\"data\":{\"a\":\"2\"}}"}}]`},
		{"a JSON patch", []string{"patch", "cm/web", "--type=json", "-p", `[{"op":"remove","path":"/data/a"}]`},
			`[{"patch":{"target":{"kind":"cm","name":"web"},"type":"JSON","patch":"[{\"op\":\"remove\",\"path\":\"/data/a\"}]"}}]`},
		{"delete", []string{"delete", "pod/web-1", "--cascade", "orphan"}, `[{"delete":{"target":{"kind":"pod","name":"web-1"},"propagation":"Orphan"}}]`},
		{"delete by labels", []string{"delete", "configmaps", "-l", "app=old"},
			`[{"delete":{"target":{"apiVersion":"v1","kind":"ConfigMap","name":"old-1"},"propagation":"Background"}},{"delete":{"target":{"apiVersion":"v1","kind":"ConfigMap","name":"old-2"},"propagation":"Background"}}]`},
		{"patch by labels", []string{"patch", "configmap", "-l", "app in (old)", "-p", "data: {a: '2'}"},
			`[{"patch":{"target":{"apiVersion":"v1","kind":"ConfigMap","name":"old-1"},"type":"Merge","patch":"data: {a: '2'}"}},{"patch":{"target":{"apiVersion":"v1","kind":"ConfigMap","name":"old-2"},"type":"Merge","patch":"data: {a: '2'}"}}]`},
		{"a new namespace", []string{"create", "namespace", "data"}, `[{"apply":{"manifest":{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"data"}}}}]`},
		{"rename", []string{"rename", "configmap/web", "site"},
			`[{"apply":{"manifest":{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"name":"site","namespace":"shop"}}}},{"delete":{"target":{"apiVersion":"v1","kind":"ConfigMap","namespace":"shop","name":"web"}}}]`},
		{"move", []string{"move", "configmap/web", "--to", "data"},
			`[{"apply":{"manifest":{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"name":"web","namespace":"data"}}}},{"delete":{"target":{"apiVersion":"v1","kind":"ConfigMap","namespace":"shop","name":"web"}}}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t, tasks: newTasks(t, objects...)}
			got := s.run(append(append([]string{"change"}, c.args...), "--reason", "because")...)
			if got.code != cli.ExitDone {
				t.Fatalf("exit code %d, %q", got.code, got.err)
			}
			made := proposed(t, s.tasks)
			if ops := asJSON(t, made.Spec.Kubernetes.Operations); ops != c.want {
				t.Errorf("the operations are\n%s\nwant\n%s", ops, c.want)
			}
			if made.Namespace != "shop" || made.Spec.RequestedBy.Username != "alice" || made.Spec.Reason != "because" {
				t.Errorf("made %s", asJSON(t, made))
			}
		})
	}
}

func TestChange_refusesWhatCannotBe(t *testing.T) {
	owned := configMap("owned", nil)
	owned.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "boss", UID: "1", Controller: ptr.To(true)}}
	database := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db"}}
	database.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}}}
	objects := []client.Object{
		configMap("web", nil), configMap("taken", nil), owned, database,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "data"}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "key"}},
		&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "disk"}},
	}
	for i := range 25 {
		objects = append(objects, configMap(fmt.Sprintf("many-%02d", i), map[string]string{"many": "yes"}))
	}
	secret := filepath.Join(t.TempDir(), "secret.yaml")
	if err := os.WriteFile(secret, []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {password: hunter2}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no number", []string{"scale", "deploy/web"}, "--replicas is missing"},
		{"a name without a kind", []string{"restart", "web"}, "KIND/NAME"},
		{"no name", []string{"restart"}, "KIND/NAME is missing"},
		{"a selector and a name", []string{"delete", "cm/web", "-l", "a=b"}, "give the KIND alone"},
		{"an empty selector", []string{"delete", "cm", "-l", " "}, "write KEY=VALUE"},
		{"a selector that fits nothing", []string{"delete", "configmap", "-l", "a=b"}, "no ConfigMap in namespace shop has a=b"},
		{"a selector that fits too much", []string{"delete", "configmap", "-l", "many=yes"}, "more than 20 objects"},
		{"a kind that does not exist", []string{"delete", "widget", "-l", "a=b"}, `no kind "widget"`},
		{"a patch that is none", []string{"patch", "cm/web", "-p", "{"}, "neither JSON nor YAML"},
		{"a patch of another type", []string{"patch", "cm/web", "--type=json", "-p", "{}"}, "is a list"},
		{"an image without a name", []string{"set", "image", "deploy/web", "web="}, "CONTAINER=IMAGE"},
		{"a namespace renamed", []string{"rename", "namespace/data", "facts"}, "a namespace cannot be renamed"},
		{"a claim renamed", []string{"rename", "persistentvolumeclaim/disk", "disc"}, "may destroy the data"},
		{"a secret renamed", []string{"rename", "secret/key", "lock"}, "lie open"},
		{"volumes renamed", []string{"rename", "statefulset/db", "base"}, "its volumes are named after it"},
		{"what a controller would make anew", []string{"rename", "configmap/owned", "free"}, "belongs to Pod boss"},
		{"renamed to what exists", []string{"rename", "configmap/web", "taken"}, "exists already"},
		{"renamed to itself", []string{"rename", "configmap/web", "web"}, "this name already"},
		{"what does not exist renamed", []string{"rename", "configmap/no", "yes"}, "there is no ConfigMap shop/no"},
		{"a namespace moved", []string{"move", "namespace/data", "--to", "shop"}, "is in no namespace"},
		{"moved nowhere", []string{"move", "configmap/web"}, "--to NAMESPACE is missing"},
		{"moved to where it is", []string{"move", "configmap/web", "--to", "shop"}, "in this namespace already"},
		{"a namespace that exists made", []string{"create", "namespace", "data"}, "exists already"},
		{"a secret applied", []string{"apply", "-f", secret}, "Secrets are not changed through eclusier"},
		{"a way of undoing that there is not", []string{"restart", "deploy/web", "--rollback", "maybe"}, "choose Automatic, Manual or Never"},
		{"a time that is none", []string{"restart", "deploy/web", "--not-before", "soon"}, "2026-03-02T22:00:00Z"},
		{"a dry run that there is not", []string{"restart", "deploy/web", "--dry-run=maybe"}, "choose server or client"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t, tasks: newTasks(t, objects...)}
			got := s.run(append(append([]string{"change"}, c.args...), "--reason", "because")...)
			if got.code != cli.ExitTrouble || !strings.Contains(got.err, c.want) {
				t.Errorf("exit code %d, %q; want %d and a text that has %q", got.code, got.err, cli.ExitTrouble, c.want)
			}
			if strings.Contains(got.err, "hunter2") {
				t.Error("shows the secret")
			}
		})
	}
	if got := (&shell{t: t, tasks: newTasks(t)}).run("change", "restart", "deploy/web"); !strings.Contains(got.err, "--reason is missing") {
		t.Errorf("without a reason: %q", got.err)
	}
}

func TestChange_copiesNothingThatTheServerWrote(t *testing.T) {
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "web", UID: "7", Generation: 3, Finalizers: []string{"a.example/b"},
			Annotations: map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "{}", "team": "shop"},
		},
		Spec: corev1.ServiceSpec{
			ClusterIP: "10.0.0.7", ClusterIPs: []string{"10.0.0.7"}, Type: corev1.ServiceTypeNodePort, Selector: map[string]string{"app": "web"},
			Ports: []corev1.ServicePort{{Port: 80, NodePort: 30080}},
		},
	}
	s := &shell{t: t, tasks: newTasks(t, service)}
	if got := s.run("change", "rename", "service/web", "site", "--reason", "x"); got.code != cli.ExitDone {
		t.Fatalf("exit code %d, %q", got.code, got.err)
	}
	manifest := string(proposed(t, s.tasks).Spec.Kubernetes.Operations[0].Apply.Manifest.Raw)
	for _, left := range []string{"10.0.0.7", "30080", "uid", "generation", "finalizers", "last-applied", "status", "creationTimestamp"} {
		if strings.Contains(manifest, left) {
			t.Errorf("the copy brings %s along: %s", left, manifest)
		}
	}
	for _, kept := range []string{`"app":"web"`, `"team":"shop"`, `"port":80`} {
		if !strings.Contains(manifest, kept) {
			t.Errorf("the copy lacks %s: %s", kept, manifest)
		}
	}
}

func TestChange_appliesManifestsNamespacesFirst(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml":    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: data, uid: x}\ndata: {size: \"12345678901\"}\nstatus: {}\n---\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: data}\n",
		"b.json":    `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b","generation":12345678901}}]}`,
		"notes.txt": "no manifest",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &shell{t: t, tasks: newTasks(t)}
	for _, verb := range []string{"apply", "create"} {
		s.tasks = newTasks(t)
		if got := s.run("change", verb, "-f", folder, "--reason", "x"); got.code != cli.ExitDone {
			t.Fatalf("%s: exit code %d, %q", verb, got.code, got.err)
		}
		want := `[{"apply":{"manifest":{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"data"}}}},` +
			`{"apply":{"manifest":{"apiVersion":"v1","data":{"size":"12345678901"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"data"}}}},` +
			`{"apply":{"manifest":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}}}]`
		if got := asJSON(t, proposed(t, s.tasks).Spec.Kubernetes.Operations); got != want {
			t.Errorf("%s: the operations are\n%s\nwant\n%s", verb, got, want)
		}
	}
}

func TestChange_completesTheSpecFromTheFlags(t *testing.T) {
	s := &shell{t: t, tasks: newTasks(t)}
	got := s.run("change", "restart", "deploy/web", "--reason", "stale", "--name", "mine", "--service-account", "shop-applier", "--rollback", "manual",
		"--delivery", "direct", "--not-before", "2h", "--deadline", "2026-03-03T00:00:00Z", "--dry-run")
	if got.code != cli.ExitDone {
		t.Fatalf("exit code %d, %q", got.code, got.err)
	}
	made := proposed(t, s.tasks)
	want := `{"reason":"stale","requestedBy":{"username":"alice","uid":"7"},"kubernetes":{"operations":[{"restart":{"target":{"kind":"deploy","name":"web"}}}]},` +
		`"serviceAccountName":"shop-applier","rollback":"Manual","delivery":"Direct","dryRun":true,"notBefore":"2026-03-02T14:00:00Z","deadline":"2026-03-03T00:00:00Z"}`
	if spec := asJSON(t, made.Spec); spec != want || made.Name != "mine" {
		t.Errorf("%s: the spec is\n%s\nwant\n%s", made.Name, spec, want)
	}
}

func TestChange_printsTheManifestAndSendsNothing(t *testing.T) {
	s := &shell{t: t, tasks: newTasks(t)}
	got := s.run("change", "scale", "deployment/checkout", "--replicas", "3", "--reason", "the sale", "--dry-run=client", "-n", "shop")
	golden(t, "change-client.golden", got.out)
	file := filepath.Join(t.TempDir(), "change.yaml")
	if err := os.WriteFile(file, []byte(got.out), 0o600); err != nil {
		t.Fatal(err)
	}
	if list := (&v1alpha1.ChangeRequestList{}); s.tasks.List(t.Context(), list) != nil || len(list.Items) != 0 {
		t.Errorf("sent %d changes", len(list.Items))
	}
	if got := s.run("change", "-f", file); got.code != cli.ExitDone {
		t.Fatalf("what was printed cannot be proposed: exit code %d, %q", got.code, got.err)
	}
	if made := proposed(t, s.tasks); made.Name != "scale-checkout" || made.Spec.Kubernetes.Operations[0].Scale.Replicas != 3 {
		t.Errorf("made %s", asJSON(t, made))
	}
}

func TestChange_readsAWholeChangeStrictly(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
	}{
		{"a field that there is not", "apiVersion: eclusier.io/v1alpha1\nkind: ChangeRequest\nmetadata: {name: x}\nspec: {reason: x, chekcs: []}\n", `unknown field "chekcs"`},
		{"another kind", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n", "one ChangeRequest is wanted here"},
		{"nothing", "\n", "one ChangeRequest is wanted here"},
		{"no YAML", "}", "error"},
		{"another namespace than -n", "apiVersion: eclusier.io/v1alpha1\nkind: ChangeRequest\nmetadata: {name: x, namespace: data}\nspec: {reason: x}\n", "the file says namespace data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &shell{t: t, tasks: newTasks(t), in: c.text}
			if got := s.run("change", "-f", "-", "-n", "shop"); got.code != cli.ExitTrouble || !strings.Contains(got.err, c.want) {
				t.Errorf("exit code %d, %q; want a text that has %q", got.code, got.err, c.want)
			}
		})
	}
}

// played plays the operator once somebody watches the change.
func playedChange(t *testing.T, play func(c client.WithWatch, made *v1alpha1.ChangeRequest)) client.WithWatch {
	t.Helper()
	return interceptor.NewClient(newTasks(t), interceptor.Funcs{
		Watch: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
			changes, err := c.Watch(ctx, list, opts...)
			if err != nil {
				return nil, err
			}
			made := proposed(t, c)
			go play(c, made)
			return changes, nil
		},
	})
}

func TestChange_waitsAndSaysHowItEnded(t *testing.T) {
	args := []string{"change", "scale", "deployment/checkout", "--replicas", "3", "--reason", "the sale begins", "--wait", "--ascii", "--name", "mine"}
	s := &shell{t: t, tasks: playedChange(t, func(c client.WithWatch, made *v1alpha1.ChangeRequest) {
		waitingFor(made)
		_ = c.Status().Update(context.Background(), made)
		done(made)
		_ = c.Status().Update(context.Background(), made)
	})}
	got := s.run(args...)
	if got.code != cli.ExitDone {
		t.Errorf("exit code %d", got.code)
	}
	golden(t, "change-wait-out.golden", got.out)
	golden(t, "change-wait-err.golden", got.err)
	s.tasks = playedChange(t, func(c client.WithWatch, made *v1alpha1.ChangeRequest) {
		rejected(made)
		_ = c.Status().Update(context.Background(), made)
	})
	if got := s.run(args...); got.code != cli.ExitNoAnswer || !strings.Contains(got.out, "not before the backup") {
		t.Errorf("exit code %d, %q", got.code, got.out)
	}
	s.tasks = newTasks(t)
	got = s.run(append(args, "--timeout", "1ms")...)
	if got.code != cli.ExitTrouble || !strings.Contains(got.err, "the change goes on: kubectl eclusier review mine -n shop") {
		t.Errorf("exit code %d, %q", got.code, got.err)
	}
}

func TestChange_showsThePlanOfADryRun(t *testing.T) {
	s := &shell{t: t, tasks: playedChange(t, func(c client.WithWatch, made *v1alpha1.ChangeRequest) {
		planned(made)
		made.Status.Result = v1alpha1.ResultPlanned
		changeCondition(made, v1alpha1.ConditionSucceeded, metav1.ConditionTrue, v1alpha1.SucceededDryRun, "Planned, and nothing more was wanted")
		_ = c.Status().Update(context.Background(), made)
	}), kept: keptDouble{}}
	got := s.run("change", "scale", "deployment/checkout", "--replicas", "3", "--reason", "x", "--dry-run", "--wait")
	if got.code != cli.ExitDone || !strings.Contains(got.out, "it is planned and shown, and never applied") || !strings.Contains(got.out, "class Medium") {
		t.Errorf("exit code %d, %q", got.code, got.out)
	}
}

func TestChange_asYAML(t *testing.T) {
	s := &shell{t: t, tasks: newTasks(t)}
	made := &v1alpha1.ChangeRequest{}
	if err := yaml.Unmarshal([]byte(s.run("change", "restart", "deploy/web", "--reason", "x", "-o", "yaml").out), made); err != nil || made.Kind != "ChangeRequest" {
		t.Errorf("%v, %s", err, asJSON(t, made))
	}
}
