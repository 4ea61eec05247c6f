package live_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/cluster/live"
	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/test/controlplane"
)

var (
	frozen *controlplane.Frozen
	admin  client.Client
	now    = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

func TestMain(m *testing.M) {
	os.Exit(controlplane.Run(m, func(f *controlplane.Frozen) { frozen = f }, controlplane.Install(install)))
}

// install makes two namespaces with a little of everything, a kind of somebody's own, and an account that may read the
// namespace shop alone.
func install(ctx context.Context, f *controlplane.Frozen) error {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme)); err != nil {
		return err
	}
	var err error
	if admin, err = client.New(f.Config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	reader := metav1.ObjectMeta{Name: "eclusier-reader", Namespace: "shop"}
	everything := []rbacv1.PolicyRule{{APIGroups: []string{"", "apps", "batch", "networking.k8s.io", "discovery.k8s.io"}, Resources: []string{"*"}, Verbs: []string{"get", "list"}}}
	objects := []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "stage"}},
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-3"}},
		deployment("shop", "web"), deployment("shop", "cart"), deployment("stage", "cart"), deployment("stage", "only-here"),
		service("shop", "web"), pod("shop", "web-7d9f4b-x2x4z"), pod("shop", "lonely"),
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: "shop"}, StringData: map[string]string{"password": "canary-in-a-secret"}},
		&corev1.ServiceAccount{ObjectMeta: reader},
		&rbacv1.Role{ObjectMeta: reader, Rules: everything[:1]},
		&rbacv1.RoleBinding{ObjectMeta: reader, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: reader.Name},
			Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: reader.Name, Namespace: "shop"}}},
		newStyleEvent(), gizmoes(),
	}
	for i := range 7 {
		objects = append(objects, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("settings-", i), Namespace: "shop"}})
	}
	for _, o := range objects {
		if err := admin.Create(ctx, o); err != nil {
			return fmt.Errorf("creating %T %s: %w", o, o.GetName(), err)
		}
	}
	gizmo := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"turns": "left"}}}
	gizmo.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Gizmo"})
	gizmo.SetName("spinner")
	gizmo.SetNamespace("shop")
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 2*time.Minute, true, func(ctx context.Context) (bool, error) {
		return admin.Create(ctx, gizmo) == nil, nil
	})
}

func reader(t *testing.T, options live.Options) *live.Reader {
	t.Helper()
	if options.Now == nil {
		options.Now = func() time.Time { return now }
	}
	connection, err := live.Connect(frozen.Config, options)
	if err != nil {
		t.Fatal(err)
	}
	r, err := connection.Reader()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tenant reads as the account that sees the namespace shop alone.
func tenant(t *testing.T) cluster.Reader {
	t.Helper()
	connection, err := live.Connect(frozen.Config, live.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := connection.ReaderFor(types.NamespacedName{Namespace: "shop", Name: "eclusier-reader"}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReader_Read(t *testing.T) {
	shop := cluster.Want{What: cluster.WantNamespace, Namespace: "shop"}
	wants := []cluster.Want{shop, {What: cluster.WantCluster}, {What: cluster.WantServices}, shop,
		{What: cluster.WantPodsOnNode, Name: "worker-3"},
		{What: cluster.WantObject, Kind: "Gizmo", Namespace: "shop", Name: "spinner"},
		{What: cluster.WantObject, Kind: "Deployment", Namespace: "stage", Name: "cart"},
		{What: cluster.WantObject, Kind: "Deployment", Namespace: "shop", Name: "web"},
		{What: cluster.WantObject, Kind: "Deployment", Namespace: "shop", Name: "nothing"},
		{What: cluster.WantObject, Kind: "Wonder", Namespace: "shop", Name: "nothing"},
	}
	s := &cluster.Snapshot{}
	r := reader(t, live.Options{PageSize: 2})
	if err := r.Read(t.Context(), s, wants); err != nil {
		t.Fatal(err)
	}
	if got := names(s.Deployments); got != "shop/cart shop/web stage/cart" {
		t.Errorf("deployments: %s", got)
	}
	if got := names(s.Pods); got != "shop/lonely shop/web-7d9f4b-x2x4z" {
		t.Errorf("pods: %s", got)
	}
	if len(s.ConfigMaps) < 7 {
		t.Errorf("%d of 7 ConfigMaps came in pages of two", len(s.ConfigMaps))
	}
	if len(s.Others) != 1 || s.Others[0].GetName() != "spinner" {
		t.Errorf("others: %v", s.Others)
	}
	if got := names(s.Services); got != "default/kubernetes shop/web" {
		t.Errorf("services, each once although two wants hold them: %s", got)
	}
	if len(s.Nodes) != 1 || len(s.Namespaces) < 6 || len(s.ClusterRoles) == 0 {
		t.Errorf("%d nodes, %d namespaces, %d roles", len(s.Nodes), len(s.Namespaces), len(s.ClusterRoles))
	}
	for _, d := range s.Deployments {
		if d.ManagedFields != nil {
			t.Error("managed fields take memory and say nothing")
		}
	}
	if len(s.Gaps) != 2 || s.Gaps[0].Reason != cluster.GapNotFound || s.Gaps[1].Reason != cluster.GapNotFound {
		t.Errorf("gaps: %v", s.Gaps)
	}
	if !s.Now.Equal(now) || len(s.Read) != len(wants)-1 {
		t.Errorf("now is %s, %d wants are read", s.Now, len(s.Read))
	}
	checkSecret(t, s)
	checkEvent(t, s)

	before := len(s.Pods) + len(s.Gaps) + len(s.Events)
	if err := r.Read(t.Context(), s, wants); err != nil {
		t.Fatal(err)
	}
	if after := len(s.Pods) + len(s.Gaps) + len(s.Events); after != before {
		t.Error("what is read already is read again")
	}
}

func checkSecret(t *testing.T, s *cluster.Snapshot) {
	t.Helper()
	if len(s.Secrets) != 1 || s.Secrets[0].Name != "db" || s.Secrets[0].Keys != nil {
		t.Fatalf("secrets: %v", s.Secrets)
	}
	if text := fmt.Sprintf("%+v", *s.Secrets[0]); strings.Contains(text, "canary") {
		t.Errorf("a value of a Secret was read: %s", text)
	}
}

func checkEvent(t *testing.T, s *cluster.Snapshot) {
	t.Helper()
	lonely := cluster.Ref{Kind: "Pod", Namespace: "shop", Name: "lonely"}
	// An API server may tell of the addresses of Services as well.
	about := slices.DeleteFunc(slices.Clone(s.Events), func(e *cluster.Event) bool { return e.About != lonely })
	if len(about) != 1 {
		t.Fatalf("events: %v", about)
	}
	want := cluster.Event{Namespace: "shop", About: lonely, Warning: true,
		Reason: "FailedScheduling", Message: "0/1 nodes are available", Count: 7, Source: "default-scheduler",
		First: now.Add(-time.Hour), Last: now.Add(-time.Minute)}
	got := *about[0]
	got.First, got.Last = got.First.UTC(), got.Last.UTC()
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestReader_Read_truncated(t *testing.T) {
	s := &cluster.Snapshot{}
	r := reader(t, live.Options{PageSize: 2, MaxObjects: 4})
	if err := r.Read(t.Context(), s, []cluster.Want{{What: cluster.WantNamespace, Namespace: "shop"}}); err != nil {
		t.Fatal(err)
	}
	if len(s.ConfigMaps) != 4 {
		t.Errorf("%d ConfigMaps, want 4", len(s.ConfigMaps))
	}
	if !slices.ContainsFunc(s.Gaps, func(g cluster.Gap) bool { return g.Resource == "configmaps" && g.Reason == cluster.GapTruncated }) {
		t.Errorf("that there is more is not said: %v", s.Gaps)
	}
}

func TestReader_Read_asTenant(t *testing.T) {
	s := &cluster.Snapshot{}
	wants := []cluster.Want{{What: cluster.WantNamespace, Namespace: "shop"}, {What: cluster.WantCluster}}
	if err := tenant(t).Read(t.Context(), s, wants); err != nil {
		t.Fatal(err)
	}
	if len(s.Deployments) != 2 || len(s.Nodes) != 0 {
		t.Errorf("%d deployments, %d nodes", len(s.Deployments), len(s.Nodes))
	}
	gaps := map[string]cluster.GapReason{}
	for _, gap := range s.Gaps {
		gaps[gap.Resource] = gap.Reason
	}
	for _, resource := range []string{"nodes", "persistentvolumes", "horizontalpodautoscalers"} {
		if gaps[resource] != cluster.GapForbidden {
			t.Errorf("%s: gap is %q, want Forbidden", resource, gaps[resource])
		}
	}
	err := tenant(t).Read(t.Context(), &cluster.Snapshot{}, []cluster.Want{{What: cluster.WantNamespace, Namespace: "stage"}})
	if !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("where nothing may be read that is a fault, got %v", err)
	}
	if err := tenant(t).Read(t.Context(), s, []cluster.Want{{What: cluster.WantNamespace, Namespace: "stage"}}); err != nil {
		t.Errorf("where something was read before it is a gap, got %v", err)
	}
}

func TestReader_Find(t *testing.T) {
	tests := []struct {
		name  string
		query cluster.Query
		want  string
	}{
		{"by kind in its namespace", cluster.Query{Kind: "Deployment", Namespace: "shop", Name: "web"}, "Deployment/shop/web"},
		{"by short name and plural", cluster.Query{Kind: "deploy", Namespace: "shop", Name: "web"}, "Deployment/shop/web"},
		{"by plural in capitals", cluster.Query{Kind: "DEPLOYMENTS", Namespace: "shop", Name: "web"}, "Deployment/shop/web"},
		{"by kind and group", cluster.Query{Kind: "deployments.apps", Namespace: "shop", Name: "web"}, "Deployment/shop/web"},
		{"by kind and version", cluster.Query{Kind: "Deployment", APIVersion: "apps/v1", Namespace: "shop", Name: "web"}, "Deployment/shop/web"},
		{"in one's own namespace first", cluster.Query{Kind: "deploy", DefaultNamespace: "stage", Name: "cart"}, "Deployment/stage/cart"},
		{"elsewhere if not in one's own", cluster.Query{Kind: "deploy", DefaultNamespace: "shop", Name: "only-here"}, "Deployment/stage/only-here"},
		{"in several namespaces if none is one's own", cluster.Query{Kind: "deploy", DefaultNamespace: "default", Name: "cart"}, "Deployment/shop/cart Deployment/stage/cart"},
		{"a bare name of several kinds", cluster.Query{DefaultNamespace: "shop", Name: "web"}, "Deployment/shop/web Service/shop/web"},
		{"a bare name of a node", cluster.Query{DefaultNamespace: "shop", Name: "worker-3"}, "Node/worker-3"},
		{"a bare name in a namespace is no node", cluster.Query{Namespace: "shop", Name: "worker-3"}, ""},
		{"a node although a namespace is named", cluster.Query{Kind: "node", Namespace: "shop", Name: "worker-3"}, "Node/worker-3"},
		{"a bare name of a namespace", cluster.Query{DefaultNamespace: "shop", Name: "stage"}, "Namespace/stage"},
		{"the beginning of a pod's name is not its name", cluster.Query{Kind: "pod", Namespace: "shop", Name: "web"}, ""},
		{"a kind of somebody's own", cluster.Query{Kind: "gizmo", Namespace: "shop", Name: "spinner"}, "Gizmo/shop/spinner"},
		{"a name that would leave its path", cluster.Query{Kind: "pod", Namespace: "shop", Name: "../secrets/db"}, ""},
		{"nothing", cluster.Query{DefaultNamespace: "shop", Name: "no-such-thing"}, ""},
	}
	r := reader(t, live.Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, err := r.Find(t.Context(), tt.query)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, f.Path())
				if f.UID == "" || f.APIVersion == "" {
					t.Errorf("%s has uid %q and version %q", f.Ref, f.UID, f.APIVersion)
				}
			}
			if text := strings.Join(got, " "); text != tt.want {
				t.Errorf("got %q, want %q", text, tt.want)
			}
		})
	}
}

func TestReader_Find_unknownKind(t *testing.T) {
	_, err := reader(t, live.Options{}).Find(t.Context(), cluster.Query{Kind: "Wonder", Name: "x"})
	var unknown *cluster.UnknownKindError
	if !errors.As(err, &unknown) || unknown.Kind != "Wonder" {
		t.Errorf("got %v", err)
	}
}

func TestReader_Find_version(t *testing.T) {
	r := reader(t, live.Options{})
	for _, tc := range []struct {
		name, kind, version string
		known               bool
	}{
		{"the preferred version", "Deployment", "apps/v1", true},
		{"an older version that is served too", "HorizontalPodAutoscaler", "autoscaling/v1", true},
		{"a version that is not served", "Deployment", "apps/v7", false},
		{"a version of another group", "Deployment", "batch/v1", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := r.Find(t.Context(), cluster.Query{Kind: tc.kind, APIVersion: tc.version, Namespace: "shop", Name: "nothing"})
			var unknown *cluster.UnknownKindError
			if known := !errors.As(err, &unknown); known != tc.known || known && err != nil {
				t.Errorf("known is %t, want %t: %v", known, tc.known, err)
			}
			if unknown != nil && unknown.Kind != tc.kind+" "+tc.version {
				t.Errorf("says %q", unknown.Kind)
			}
		})
	}
}

func TestReader_Namespaced(t *testing.T) {
	r := reader(t, live.Options{})
	for kind, want := range map[string]bool{"nodes": false, "Namespace": false, "deploy": true, "Wonder": true} {
		if got := r.Namespaced(cluster.Query{Kind: kind}); got != want {
			t.Errorf("%s: namespaced is %t, want %t", kind, got, want)
		}
	}
}

func TestReader_Find_asTenant(t *testing.T) {
	r := tenant(t)
	if found, err := r.Find(t.Context(), cluster.Query{DefaultNamespace: "shop", Name: "web"}); err != nil || len(found) != 2 {
		t.Errorf("what may be seen is found whatever else may not: %v, %v", found, err)
	}
	if found, err := r.Find(t.Context(), cluster.Query{Kind: "Namespace", DefaultNamespace: "shop", Name: "shop"}); err != nil || len(found) != 1 {
		t.Errorf("one's own namespace: %v, %v", found, err)
	}
	_, err := r.Find(t.Context(), cluster.Query{DefaultNamespace: "shop", Name: "worker-3"})
	var unseen *cluster.UnseenError
	if !errors.As(err, &unseen) || !slices.Contains(unseen.What, "nodes") {
		t.Errorf("that nodes may not be seen must be said: %v", err)
	}
	if _, err := r.Find(t.Context(), cluster.Query{Kind: "Node", DefaultNamespace: "shop", Name: "worker-3"}); !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("nothing that was looked for may be seen: %v", err)
	}
}

func TestReader_Suggest(t *testing.T) {
	tests := []struct {
		name  string
		query cluster.Query
		want  string
	}{
		{"a typing mistake", cluster.Query{Kind: "deploy", Namespace: "shop", Name: "crat"}, "Deployment/shop/cart"},
		{"the right name under another kind", cluster.Query{Kind: "pod", Namespace: "shop", Name: "web"}, "Deployment/shop/web Service/shop/web Pod/shop/web-7d9f4b-x2x4z"},
		{"a namespace", cluster.Query{Kind: "Namespace", DefaultNamespace: "shop", Name: "stgae"}, "Namespace/stage"},
		{"nothing near", cluster.Query{Kind: "deploy", Namespace: "shop", Name: "unheard-of"}, ""},
		{"short names are not near each other", cluster.Query{Kind: "deploy", Namespace: "shop", Name: "db"}, ""},
	}
	r := reader(t, live.Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, err := r.Suggest(t.Context(), tt.query)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, f.Path())
			}
			if text := strings.Join(got, " "); text != tt.want {
				t.Errorf("got %q, want %q", text, tt.want)
			}
		})
	}
}

// TestConnection_memory: a reading answers what was asked before it, of the same account, and nothing else.
func TestConnection_memory(t *testing.T) {
	clock := now
	connection, err := live.Connect(frozen.Config, live.Options{Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	settings := func(account string, asked time.Time) int {
		t.Helper()
		r, err := connection.As(types.NamespacedName{Namespace: "shop", Name: account}, asked)
		if err != nil {
			t.Fatal(err)
		}
		s := &cluster.Snapshot{}
		if err := r.Read(t.Context(), s, []cluster.Want{{What: cluster.WantNamespace, Namespace: "shop"}}); err != nil {
			return 0
		}
		return len(s.ConfigMaps)
	}
	first := settings("eclusier-reader", now)
	added := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "added"}}
	if err := admin.Create(t.Context(), added); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Delete(context.Background(), added) }()
	clock = now.Add(time.Second)
	if got := settings("eclusier-reader", now.Add(-time.Minute)); got != first {
		t.Errorf("a question asked before the reading is read for again: %d ConfigMaps, then %d", first, got)
	}
	if got := settings("stranger", now.Add(-time.Minute)); got != 0 {
		t.Errorf("another account is shown %d ConfigMaps that it may not read", got)
	}
	if got := settings("eclusier-reader", now.Add(time.Second)); got != first+1 {
		t.Errorf("a question asked after the reading is answered from before it: %d ConfigMaps", got)
	}
	clock = now.Add(time.Minute)
	if got := settings("eclusier-reader", now.Add(-time.Minute)); got != first+1 {
		t.Errorf("an old reading is still used: %d ConfigMaps", got)
	}
}

// TestConnection_memory_severalAtOnce: questions that share a reading leave it alone. It is the race detector that finds out
// when they do not.
func TestConnection_memory_severalAtOnce(t *testing.T) {
	applied := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "applied", Annotations: map[string]string{
		"example.org/owner":                "team-a",
		corev1.LastAppliedConfigAnnotation: `{"stringData": {"password": "canary-in-a-secret"}}`,
	}}}
	if err := admin.Create(t.Context(), applied); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Delete(context.Background(), applied) }()
	connection, err := live.Connect(frozen.Config, live.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	ask := func() {
		r, err := connection.As(types.NamespacedName{Namespace: "shop", Name: "eclusier-reader"}, now)
		if err != nil {
			t.Error(err)
			return
		}
		s := &cluster.Snapshot{}
		if err := r.Read(t.Context(), s, []cluster.Want{{What: cluster.WantNamespace, Namespace: "shop"}}); err != nil {
			t.Error(err)
		}
		at := slices.IndexFunc(s.Secrets, func(o *cluster.Secret) bool { return o.Name == applied.Name })
		if at < 0 || len(s.Secrets[at].Annotations) != 1 {
			t.Errorf("the Secret is not there, or with more than its owner: %v", s.Secrets)
		}
	}
	ask()
	var all sync.WaitGroup
	for range 8 {
		all.Go(ask)
	}
	all.Wait()
}

func names[T metav1.Object](objects []T) string {
	var all []string
	for _, o := range objects {
		all = append(all, o.GetNamespace()+"/"+o.GetName())
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func template(name string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.org/" + name}}}}
}

func deployment(namespace, name string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}, Template: template(name)}}
}

func service(namespace, name string) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
}

func pod(namespace, name string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: template(name).Spec}
	p.Spec.AutomountServiceAccountToken = new(false)
	p.Spec.ServiceAccountName = "eclusier-reader"
	p.Spec.NodeName = "worker-3"
	return p
}

func newStyleEvent() *corev1.Event {
	return &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "lonely.1"},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "shop", Name: "lonely"}, Type: "Warning", Reason: "FailedScheduling",
		Action: "Scheduling", Message: "0/1 nodes are available", ReportingController: "default-scheduler", ReportingInstance: "scheduler-0",
		EventTime: metav1.NewMicroTime(now.Add(-time.Hour)),
		Series:    &corev1.EventSeries{Count: 7, LastObservedTime: metav1.NewMicroTime(now.Add(-time.Minute))}}
}

func gizmoes() *apiextensionsv1.CustomResourceDefinition {
	anything := &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(true)}}
	return &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "gizmoes.example.org"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{Group: "example.org", Scope: apiextensionsv1.NamespaceScoped,
			Names:    apiextensionsv1.CustomResourceDefinitionNames{Plural: "gizmoes", Singular: "gizmo", Kind: "Gizmo", ListKind: "GizmoList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: anything}}}}
}
