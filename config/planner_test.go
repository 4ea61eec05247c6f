package config_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const held = "the service account eclusier-planner changes nothing: send the request as a dry run (kubectl --dry-run=server), or make the change through a ChangeRequest"

// planner is the planner of the namespace shop with its own token, as a thief would have it.
func planner(t *testing.T) client.Client {
	t.Helper()
	c, err := client.New(withToken(t, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "eclusier-planner"}}),
		client.Options{Scheme: cluster.scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// deployed is a Deployment of the namespace shop.
func deployed(t *testing.T) *appsv1.Deployment {
	t.Helper()
	labels := map[string]string{"app": "web"}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}},
		},
	}}
	c := admin(t)
	if err := c.Create(t.Context(), deployment); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, c, deployment) })
	return deployment
}

func TestPlanner_isHeldToDryRuns(t *testing.T) {
	openShop(t)
	c, deployment := planner(t), deployed(t)
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "made"}}
	image := client.RawPatch(types.StrategicMergePatchType, []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:2"}]}}}}`))
	writes := []struct {
		name  string
		write func(dryRun bool) error
	}{
		{"creating", func(dryRun bool) error {
			return c.Create(t.Context(), made.DeepCopy(), &client.CreateOptions{DryRun: dry(dryRun)})
		}},
		{"patching", func(dryRun bool) error {
			return c.Patch(t.Context(), deployment.DeepCopy(), image, &client.PatchOptions{DryRun: dry(dryRun)})
		}},
		{"updating", func(dryRun bool) error {
			changed := deployment.DeepCopy()
			changed.Spec.Paused = true
			return c.Update(t.Context(), changed, &client.UpdateOptions{DryRun: dry(dryRun)})
		}},
		{"scaling", func(dryRun bool) error {
			scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 3}}
			return c.SubResource("scale").Update(t.Context(), deployment.DeepCopy(),
				&client.SubResourceUpdateOptions{UpdateOptions: client.UpdateOptions{DryRun: dry(dryRun)}, SubResourceBody: scale})
		}},
		{"deleting", func(dryRun bool) error {
			return c.Delete(t.Context(), deployment.DeepCopy(), &client.DeleteOptions{DryRun: dry(dryRun)})
		}},
	}
	for _, tc := range writes {
		t.Run(tc.name, func(t *testing.T) {
			expectRefusal(t, tc.write(false), held)
			if err := tc.write(true); err != nil {
				t.Errorf("its dry run is refused: %v", err)
			}
		})
	}
}

func TestPlanner_asksWhatItMayDo(t *testing.T) {
	openShop(t)
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: "shop", Verb: "patch", Group: "apps", Resource: "deployments"},
	}}
	if err := planner(t).Create(t.Context(), review); err != nil {
		t.Fatalf("refused: %v", err)
	}
	if !review.Status.Allowed {
		t.Error("it may not plan changes of Deployments")
	}
}

func dry(run bool) []string {
	if run {
		return []string{metav1.DryRunAll}
	}
	return nil
}

// TestPlanner_isHeldWhateverItIsGranted gives the planner every right there is.
func TestPlanner_isHeldWhateverItIsGranted(t *testing.T) {
	openShop(t)
	c := as(t, "system:serviceaccount:shop:eclusier-planner", "system:masters")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}}}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "default"}}
	for _, object := range []client.Object{account, pod} {
		if err := admin(t).Create(t.Context(), object); client.IgnoreAlreadyExists(err) != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { remove(t, admin(t), object) })
	}
	cases := map[string]func() error{
		"a namespace": func() error {
			return c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "made"}})
		},
		"a token of another account": func() error {
			return c.SubResource("token").Create(t.Context(), account, &authenticationv1.TokenRequest{})
		},
		"a change of its own": func() error { return c.Create(t.Context(), change("own", wanting(nil))) },
		"removing everything": func() error {
			return c.DeleteAllOf(t.Context(), &corev1.Pod{}, client.InNamespace("shop"))
		},
		"running something in a pod": func() error {
			config := *cluster.config
			config.Impersonate.UserName, config.Impersonate.Groups = "system:serviceaccount:shop:eclusier-planner", []string{"system:masters"}
			return kubernetes.NewForConfigOrDie(&config).CoreV1().RESTClient().Post().Namespace("shop").Resource("pods").Name("web").
				SubResource("exec").Param("command", "id").Param("container", "web").Param("stdout", "true").Do(t.Context()).Error()
		},
	}
	for name, write := range cases {
		t.Run(name, func(t *testing.T) { expectRefusal(t, write(), held) })
	}
}

func TestPlanner_othersAreNotHeld(t *testing.T) {
	for _, user := range []string{"eclusier-planner", "system:serviceaccount:default:eclusier-planner-2", "system:serviceaccount:default:my-eclusier-planner",
		"system:serviceaccount:eclusier-planner:default", "system:serviceaccount:default:eclusier-applier"} {
		t.Run(user, func(t *testing.T) {
			c, made := as(t, user, "system:masters"), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "made-"}}
			if err := c.Create(t.Context(), made); err != nil {
				t.Fatalf("refused: %v", err)
			}
			remove(t, c, made)
		})
	}
}
