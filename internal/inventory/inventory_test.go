package inventory_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/inventory"
	"github.com/eclusier/eclusier/internal/redact"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func meta(name string, owner *metav1.OwnerReference) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Namespace: "shop", Name: name, CreationTimestamp: metav1.NewTime(noon.Add(-time.Hour)), Labels: map[string]string{"app": "web"}}
	if owner != nil {
		m.OwnerReferences = []metav1.OwnerReference{*owner}
	}
	return m
}

func controller(kind, name string) *metav1.OwnerReference {
	yes := true
	return &metav1.OwnerReference{Kind: kind, Name: name, Controller: &yes}
}

// shop is a Deployment with all that belongs to it.
func shop() *cluster.Snapshot {
	spec := corev1.PodSpec{
		ServiceAccountName: "web",
		Containers: []corev1.Container{{
			Name: "web", Image: "registry.example.com/web:1.2", Args: []string{"--password", "Tr0ub4dor&3", "--port", "8080"},
			Env: []corev1.EnvVar{{Name: "DB_PASSWORD", Value: "hunter2-Swordfish"}, {Name: "LOG_LEVEL", Value: "debug"}},
			EnvFrom: []corev1.EnvFromSource{
				{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}}},
				{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "login"}}},
			},
		}},
	}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}, Spec: spec}
	deployment := &appsv1.Deployment{ObjectMeta: meta("web", nil), Spec: appsv1.DeploymentSpec{Template: template}}
	deployment.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
	deployment.Annotations = map[string]string{corev1.LastAppliedConfigAnnotation: `{"copy":"of everything"}`, "team": "checkout"}
	set := &appsv1.ReplicaSet{ObjectMeta: meta("web-1", controller("Deployment", "web")), Spec: appsv1.ReplicaSetSpec{Template: template}}
	set.Annotations = map[string]string{"deployment.kubernetes.io/revision": "7"}
	pod := &corev1.Pod{ObjectMeta: meta("web-1-a", controller("ReplicaSet", "web-1")), Spec: spec}
	pod.Spec.NodeName = "worker-1"
	secret := &cluster.Secret{ObjectMeta: meta("login", nil), Type: corev1.SecretTypeOpaque, Keys: []string{"user", "password"}}
	secret.Annotations = map[string]string{"tool/copy": `{"data":{"password":"b3BlbiBzZXNhbWU="}}`}
	backend := networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "web"}}
	return &cluster.Snapshot{
		Now:             noon,
		Namespaces:      []*corev1.Namespace{{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, {ObjectMeta: metav1.ObjectMeta{Name: "empty"}}},
		Nodes:           []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "worker-1"}}},
		Deployments:     []*appsv1.Deployment{deployment},
		ReplicaSets:     []*appsv1.ReplicaSet{set},
		Pods:            []*corev1.Pod{pod},
		Services:        []*corev1.Service{{ObjectMeta: meta("web", nil), Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "web"}}}},
		ConfigMaps:      []*corev1.ConfigMap{{ObjectMeta: meta("settings", nil), Data: map[string]string{"mode": "fast", "api_token": "ZJk29dkWq81mXy"}}},
		Secrets:         []*cluster.Secret{secret},
		ServiceAccounts: []*corev1.ServiceAccount{{ObjectMeta: meta("web", nil)}},
		Ingresses:       []*networkingv1.Ingress{{ObjectMeta: meta("front", nil), Spec: networkingv1.IngressSpec{DefaultBackend: &backend}}},
		RoleBindings: []*rbacv1.RoleBinding{{
			ObjectMeta: meta("readers", nil), RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "view"},
			Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "web"}, {Kind: "User", Name: "jane"}},
		}},
		Events: []*cluster.Event{
			{About: cluster.Ref{Kind: "Pod", Namespace: "shop", Name: "web-1-a"}, Reason: "BackOff", Message: "Back-off with password=hunter2-Swordfish", Last: noon, Warning: true},
			{About: cluster.Ref{Kind: "Pod", Namespace: "shop", Name: "web-0-z"}, Reason: "Killing", Message: "Stopping container web", Last: noon.Add(-3 * time.Hour)},
		},
	}
}

func ref(kind, name string) cluster.Ref {
	return cluster.Ref{Kind: kind, Namespace: "shop", Name: name}
}

func TestIsKind(t *testing.T) {
	for _, c := range []struct {
		kind, word string
		want       bool
	}{
		{"Deployment", "deploy", true}, {"Deployment", "Deployments", true}, {"Ingress", "ingresses", true},
		{"NetworkPolicy", "networkpolicies", true}, {"Pod", "PO", true}, {"Pod", "podss", false}, {"Pod", "deploy", false},
		{"EndpointSlice", "endpointslices", true},
	} {
		if got := inventory.IsKind(c.kind, c.word); got != c.want {
			t.Errorf("%s is %s: %v", c.word, c.kind, got)
		}
	}
}

func TestNamespaces_countsWhatEachHolds(t *testing.T) {
	if got := fmt.Sprint(inventory.Namespaces(shop()).Items); got != "[{empty 0} {shop 9}]" {
		t.Errorf("%s", got)
	}
}

func TestList(t *testing.T) {
	crowd := shop()
	for i := range 250 {
		crowd.ConfigMaps = append(crowd.ConfigMaps, &corev1.ConfigMap{ObjectMeta: meta(fmt.Sprintf("c-%03d", i), nil)})
	}
	for _, c := range []struct {
		name            string
		seen            *cluster.Snapshot
		namespace, kind string
		items, total    int
	}{
		{"all of a namespace", shop(), "shop", "", 9, 9},
		{"those of a kind", shop(), "shop", "svc", 1, 1},
		{"those of the cluster", shop(), "", "nodes", 1, 1},
		{"none of another namespace", shop(), "empty", "", 0, 0},
		{"the first of many", crowd, "shop", "cm", inventory.MaxItems, 251},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := inventory.List(c.seen, c.namespace, c.kind)
			counted := 0
			for _, k := range got.Kinds {
				counted += k.Count
			}
			if len(got.Items) != c.items || got.Total != c.total || counted != c.total {
				t.Errorf("%d items of %d, %d counted", len(got.Items), got.Total, counted)
			}
		})
	}
}

func TestShow(t *testing.T) {
	for _, c := range []struct {
		name        string
		ref         cluster.Ref
		says, hides []string
	}{
		{"a workload, without passwords and what machines read", ref("Deployment", "web"),
			[]string{`"apiVersion":"apps/v1"`, `"kind":"Deployment"`, "registry.example.com/web:1.2", "debug", "8080", "checkout", `"name":"DB_PASSWORD"`},
			[]string{"hunter2", "Tr0ub4dor", "managedFields", "of everything"}},
		{"a ConfigMap, without tokens", ref("ConfigMap", "settings"), []string{`"mode":"fast"`, "api_token"}, []string{"ZJk29dkWq81mXy"}},
		{"a Secret, by the names of its entries", ref("Secret", "login"), []string{`"keys":["user","password"]`, "tool/copy"}, []string{"b3BlbiBzZXNhbWU", `"data"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fields, ok := inventory.Show(shop(), c.ref)
			text, err := json.Marshal(fields)
			if !ok || err != nil {
				t.Fatalf("shown %v, %v", ok, err)
			}
			if again := redact.String(string(text)).String(); !json.Valid([]byte(again)) {
				t.Errorf("redacted as a whole it is no JSON any more: %s", again)
			}
			for _, want := range c.says {
				if !strings.Contains(string(text), want) {
					t.Errorf("does not say %s: %s", want, text)
				}
			}
			for _, hidden := range c.hides {
				if strings.Contains(string(text), hidden) {
					t.Errorf("says %s: %s", hidden, text)
				}
			}
		})
	}
	if _, ok := inventory.Show(shop(), ref("Pod", "nobody")); ok {
		t.Error("shows what is not there")
	}
	seen := shop()
	inventory.Show(seen, ref("Deployment", "web"))
	if seen.Deployments[0].Spec.Template.Spec.Containers[0].Env[0].Value != "hunter2-Swordfish" {
		t.Error("the snapshot was changed, which others share")
	}
}

func TestRefersTo(t *testing.T) {
	edge := func(e inventory.Edge) string { return e.From.Path() + " " + e.To.Path() + " " + e.Why }
	for _, c := range []struct {
		name     string
		ref      cluster.Ref
		owners   []cluster.Ref
		to, from []string
	}{
		{"a pod has a chain of owners and a node, and leaves what its template says to its workload", ref("Pod", "web-1-a"),
			[]cluster.Ref{ref("ReplicaSet", "web-1"), ref("Deployment", "web")},
			[]string{"Pod/shop/web-1-a Node/worker-1 runs on", "Pod/shop/web-1-a ReplicaSet/shop/web-1 owned by"}, nil},
		{"a workload uses, and is selected", ref("Deployment", "web"), nil,
			[]string{
				"Deployment/shop/web ConfigMap/shop/settings containers[web].envFrom[0].configMapRef",
				"Deployment/shop/web Secret/shop/login containers[web].envFrom[1].secretRef",
				"Deployment/shop/web ServiceAccount/shop/web serviceAccountName",
			},
			[]string{"ReplicaSet/shop/web-1 Deployment/shop/web owned by", "Service/shop/web Deployment/shop/web selects"}},
		{"a service is routed to", ref("Service", "web"), nil,
			[]string{"Service/shop/web Deployment/shop/web selects"}, []string{"Ingress/shop/front Service/shop/web routes to"}},
		{"an account is granted a role", ref("ServiceAccount", "web"), nil, nil,
			[]string{"Deployment/shop/web ServiceAccount/shop/web serviceAccountName", "RoleBinding/shop/readers ServiceAccount/shop/web grants to"}},
		{"a node has its pods", cluster.Ref{Kind: "Node", Name: "worker-1"}, nil, nil, []string{"Pod/shop/web-1-a Node/worker-1 runs on"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := inventory.RefersTo(shop(), c.ref)
			if fmt.Sprint(got.Owners) != fmt.Sprint(c.owners) {
				t.Errorf("owners are %v", got.Owners)
			}
			for _, side := range []struct {
				page inventory.Page[inventory.Edge]
				want []string
			}{{got.To, c.to}, {got.From, c.from}} {
				var texts []string
				for _, e := range side.page.Items {
					texts = append(texts, edge(e))
				}
				if strings.Join(texts, "\n") != strings.Join(side.want, "\n") {
					t.Errorf("edges are\n%s\nwant\n%s", strings.Join(texts, "\n"), strings.Join(side.want, "\n"))
				}
			}
		})
	}
}

func TestGraph_knowsTheWaysToRefer(t *testing.T) {
	fast := "fast"
	labels := map[string]string{"app": "web"}
	claimed := corev1.PodSpec{PriorityClassName: "high", Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-db-0"},
	}}}}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{PriorityClassName: "high"}}
	mirror := &corev1.Pod{ObjectMeta: meta("etcd", controller("Node", "cp-1"))}
	mirror.Labels = nil
	path := networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "api"}}
	for _, c := range []struct {
		name string
		seen cluster.Snapshot
		want []string
	}{
		{"the claim of a StatefulSet is named by its pod alone", cluster.Snapshot{
			StatefulSets: []*appsv1.StatefulSet{{ObjectMeta: meta("db", nil), Spec: appsv1.StatefulSetSpec{ServiceName: "db", Template: template}}},
			Pods:         []*corev1.Pod{{ObjectMeta: meta("db-0", controller("StatefulSet", "db")), Spec: claimed}},
		}, []string{
			"Pod shop/db-0 -> PersistentVolumeClaim shop/data-db-0: volumes[data].persistentVolumeClaim",
			"Pod shop/db-0 -> StatefulSet shop/db: owned by",
			"StatefulSet shop/db -> PriorityClass high: priorityClassName",
			"StatefulSet shop/db -> Service shop/db: serviceName",
		}},
		{"a budget and a policy select, and an empty policy selects all", cluster.Snapshot{
			DaemonSets:        []*appsv1.DaemonSet{{ObjectMeta: meta("agent", nil), Spec: appsv1.DaemonSetSpec{Template: corev1.PodTemplateSpec{}}}},
			Controllers:       []*corev1.ReplicationController{{ObjectMeta: meta("old", nil), Spec: corev1.ReplicationControllerSpec{Template: &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}}}}},
			DisruptionBudgets: []*policyv1.PodDisruptionBudget{{ObjectMeta: meta("budget", nil), Spec: policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}}}, {ObjectMeta: meta("none", nil)}},
			NetworkPolicies:   []*networkingv1.NetworkPolicy{{ObjectMeta: meta("deny", nil)}},
		}, []string{
			"NetworkPolicy shop/deny -> DaemonSet shop/agent: selects",
			"NetworkPolicy shop/deny -> ReplicationController shop/old: selects",
			"PodDisruptionBudget shop/budget -> ReplicationController shop/old: selects",
		}},
		{"a Job belongs to its CronJob, and a mirror pod to its node", cluster.Snapshot{
			CronJobs: []*batchv1.CronJob{{ObjectMeta: meta("nightly", nil)}},
			Jobs:     []*batchv1.Job{{ObjectMeta: meta("nightly-1", controller("CronJob", "nightly"))}},
			Pods:     []*corev1.Pod{mirror},
		}, []string{"Job shop/nightly-1 -> CronJob shop/nightly: owned by", "Pod shop/etcd -> Node cp-1: owned by"}},
		{"an autoscaler scales", cluster.Snapshot{
			Autoscalers: []*autoscalingv2.HorizontalPodAutoscaler{{ObjectMeta: meta("web", nil), Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
				ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{Kind: "Deployment", Name: "web"},
			}}},
		}, []string{"HorizontalPodAutoscaler shop/web -> Deployment shop/web: scales"}},
		{"an ingress has a class, rules and certificates", cluster.Snapshot{
			Ingresses: []*networkingv1.Ingress{{ObjectMeta: meta("front", nil), Spec: networkingv1.IngressSpec{
				IngressClassName: &fast, TLS: []networkingv1.IngressTLS{{SecretName: "cert"}, {}},
				Rules: []networkingv1.IngressRule{{}, {IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{
					Paths: []networkingv1.HTTPIngressPath{{Backend: path}, {Path: "/again", Backend: path}},
				}}}},
			}}},
		}, []string{"Ingress shop/front -> IngressClass fast: ingressClassName", "Ingress shop/front -> Secret shop/cert: tls", "Ingress shop/front -> Service shop/api: routes to"}},
		{"a claim has a volume and a class", cluster.Snapshot{
			Claims:  []*corev1.PersistentVolumeClaim{{ObjectMeta: meta("data", nil), Spec: corev1.PersistentVolumeClaimSpec{VolumeName: "pv-1", StorageClassName: &fast}}},
			Volumes: []*corev1.PersistentVolume{{ObjectMeta: metav1.ObjectMeta{Name: "pv-1"}, Spec: corev1.PersistentVolumeSpec{StorageClassName: "fast"}}},
		}, []string{
			"PersistentVolume pv-1 -> StorageClass fast: storageClassName", "PersistentVolumeClaim shop/data -> PersistentVolume pv-1: bound to",
			"PersistentVolumeClaim shop/data -> StorageClass fast: storageClassName",
		}},
		{"accounts pull images and are granted roles", cluster.Snapshot{
			ServiceAccounts: []*corev1.ServiceAccount{{ObjectMeta: meta("web", nil), ImagePullSecrets: []corev1.LocalObjectReference{{Name: "registry"}}}},
			RoleBindings:    []*rbacv1.RoleBinding{{ObjectMeta: meta("own", nil), RoleRef: rbacv1.RoleRef{Kind: "Role", Name: "editor"}}},
			ClusterBindings: []*rbacv1.ClusterRoleBinding{{
				ObjectMeta: metav1.ObjectMeta{Name: "all"}, RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "view"},
				Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "shop", Name: "web"}, {Kind: "Group", Name: "staff"}},
			}},
		}, []string{
			"ClusterRoleBinding all -> ClusterRole view: grants", "ClusterRoleBinding all -> ServiceAccount shop/web: grants to",
			"RoleBinding shop/own -> Role shop/editor: grants", "ServiceAccount shop/web -> Secret shop/registry: imagePullSecrets",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, e := range inventory.Graph(&c.seen, "").Items {
				got = append(got, e.From.String()+" -> "+e.To.String()+": "+e.Why)
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("edges are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestShow_ofAKindWithoutAListOfItsOwn(t *testing.T) {
	object := func(kind string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": kind, "metadata": map[string]any{"namespace": "shop", "name": "one",
				"annotations": map[string]any{corev1.LastAppliedConfigAnnotation: "{}"}},
			"spec": map[string]any{"size": int64(3), "adminPassword": "Kx82-hemlock"}, "data": map[string]any{"entry": "b3BlbiBzZXNhbWU="},
		}}
	}
	seen := &cluster.Snapshot{Others: []*unstructured.Unstructured{object("Database"), object("Secret")}}
	for _, c := range []struct {
		kind, says string
		data       bool
	}{{"Database", `"size":3`, true}, {"Secret", `"kind":"Secret"`, false}} {
		fields, ok := inventory.Show(seen, ref(c.kind, "one"))
		text, err := json.Marshal(fields)
		if !ok || err != nil || !strings.Contains(string(text), c.says) || strings.Contains(string(text), "hemlock") || strings.Contains(string(text), "annotations") {
			t.Errorf("%s: %v, %v, %s", c.kind, ok, err, text)
		}
		if _, has := fields["data"]; has != c.data {
			t.Errorf("%s: has data: %v", c.kind, has)
		}
	}
	if seen.Others[0].Object["spec"].(map[string]any)["adminPassword"] != "Kx82-hemlock" {
		t.Error("the snapshot was changed, which others share")
	}
}

func TestRefersTo_endsWhereOwnersGoInACircle(t *testing.T) {
	seen := &cluster.Snapshot{ConfigMaps: []*corev1.ConfigMap{
		{ObjectMeta: meta("a", controller("ConfigMap", "b"))}, {ObjectMeta: meta("b", controller("ConfigMap", "a"))},
	}}
	if got := inventory.RefersTo(seen, ref("ConfigMap", "a")).Owners; len(got) != 1 {
		t.Errorf("owners are %v", got)
	}
}

func TestGraph_ofANamespace(t *testing.T) {
	if got := inventory.Graph(shop(), "shop").Total; got != 10 {
		t.Errorf("%d edges: %v", got, inventory.Graph(shop(), "shop").Items)
	}
	if got := inventory.Graph(shop(), "empty").Total; got != 0 {
		t.Errorf("%d edges in an empty namespace", got)
	}
}

func TestSearch(t *testing.T) {
	for _, c := range []struct {
		name  string
		query inventory.Query
		want  string
	}{
		{"finds names without regard to case", inventory.Query{Text: "SETT"}, "ConfigMap settings name"},
		{"finds names of variables", inventory.Query{Text: "LOG_LEVEL", Kind: "deploy"}, "Deployment web env"},
		{"finds images", inventory.Query{Text: "web:1.2", Kind: "pod"}, "Pod web-1-a image"},
		{"finds annotations", inventory.Query{Text: "checkout"}, "Deployment web annotation"},
		{"finds messages of events, also about what is gone", inventory.Query{Text: "stopping"}, "Pod web-0-z event"},
		{"takes a text literally", inventory.Query{Text: "web.1"}, ""},
		{"takes an expression where asked", inventory.Query{Text: "^web-1-.$", Regex: true}, "Pod web-1-a name"},
		{"looks at names alone", inventory.Query{Text: "checkout", Names: true}, ""},
		{"leaves out what is older", inventory.Query{Text: "stopping", Since: noon.Add(-time.Hour)}, ""},
		{"leaves out other labels", inventory.Query{Text: "settings", Labels: "app=db"}, ""},
		{"leaves out other namespaces", inventory.Query{Text: "settings", Namespace: "empty"}, ""},
		{"cannot guess a password in an event", inventory.Query{Text: "hunter2-Sw"}, ""},
		{"cannot guess what a tool copied from a Secret", inventory.Query{Text: "b3Blb"}, ""},
		{"does not look into the copy that kubectl keeps", inventory.Query{Text: "of everything"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := inventory.Search(shop(), c.query)
			if err != nil {
				t.Fatal(err)
			}
			var hits []string
			for _, h := range got.Items {
				hits = append(hits, h.Kind+" "+h.Name+" "+h.Field)
			}
			if strings.Join(hits, ", ") != c.want {
				t.Errorf("found %v", got.Items)
			}
		})
	}
}

func TestSearch_refusesWhatMakesNoSense(t *testing.T) {
	for _, q := range []inventory.Query{{Text: "(", Regex: true}, {Text: "x", Labels: "=="}} {
		if _, err := inventory.Search(shop(), q); err == nil {
			t.Errorf("%+v was taken", q)
		}
	}
}

func TestLabels(t *testing.T) {
	seen := shop()
	seen.Pods[0].Labels = map[string]string{"app.kubernetes.io/name": "web", "app": "web"}
	for _, c := range []struct{ name, prefix, want string }{
		{"all, the most frequent first", "", "[{app=web 9} {app.kubernetes.io/name=web 1}]"},
		{"those that begin so", "app.", "[{app.kubernetes.io/name=web 1}]"},
		{"those whose key begins so behind its domain", "name", "[{app.kubernetes.io/name=web 1}]"},
		{"none", "tier", "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := fmt.Sprint(inventory.Labels(seen, "shop", c.prefix).Items); got != c.want {
				t.Errorf("%s", got)
			}
		})
	}
}

func TestRecent_newestFirst(t *testing.T) {
	var got []string
	for _, h := range inventory.Recent(shop(), "shop").Items {
		got = append(got, h.What+" "+h.Name+" "+h.Text)
	}
	want := "event web-1-a Back-off with password=[redacted]|rollout web revision 7: web-1|event web-0-z Stopping container web"
	if strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
	many := shop()
	for range 80 {
		many.Events = append(many.Events, many.Events[0])
	}
	if page := inventory.Recent(many, ""); len(page.Items) != inventory.MaxRecent || page.Total != 83 {
		t.Errorf("%d of %d", len(page.Items), page.Total)
	}
}
