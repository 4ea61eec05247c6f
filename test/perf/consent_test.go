package perf

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// asking has the changes' namespace made ready once.
var asking sync.Once

// BenchmarkConsent measures the time from the patch of an Approval to the first effect of its change: one change at a time,
// as the watch of somebody else sees the effect.
func BenchmarkConsent(b *testing.B) {
	asking.Do(func() {
		if err := scene.Tenant(b.Context(), "gate"); err != nil {
			b.Fatal(err)
		}
	})
	config := scene.User(b, "bob", "system:masters") // whoever holds every verb may approve
	config.QPS = -1
	bob, err := client.New(config, client.Options{Scheme: scene.Client.Scheme()})
	if err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		took = append(took, consent(b, bob, fmt.Sprintf("c-%d", time.Now().UnixNano())))
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
	b.ReportMetric(0, "ns/op") // the time that a person takes is no measure
}

// consent asks for a change, agrees to it, and returns how long its effect took from there.
func consent(b *testing.B, bob client.Client, name string) time.Duration {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "gate", Name: name}, Data: map[string]string{"mode": "calm"}}
	must(b, scene.Client.Create(ctx, settings))
	seen, err := scene.Client.Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace("gate"), client.MatchingFields{"metadata.name": name},
		&client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: settings.ResourceVersion}})
	must(b, err)
	defer seen.Stop()
	must(b, scene.Client.Create(ctx, &v1alpha1.ChangeRequest{ObjectMeta: metav1.ObjectMeta{Namespace: "gate", Name: name},
		Spec: v1alpha1.ChangeRequestSpec{Reason: "to measure", Kubernetes: v1alpha1.KubernetesChange{Operations: []v1alpha1.Operation{{
			Patch: &v1alpha1.PatchOperation{Target: v1alpha1.OperationTarget{Kind: "ConfigMap", Name: name}, Patch: `{"data":{"mode":"busy"}}`}}}}}}))
	slot := &v1alpha1.Approval{}
	for asked := false; !asked; {
		change := &v1alpha1.ChangeRequest{}
		must(b, scene.Client.Get(ctx, client.ObjectKey{Namespace: "gate", Name: name}, change))
		if change.Status.Result != "" {
			b.Fatalf("the change ended: %+v", change.Status.Failure)
		}
		if asked = len(change.Status.ApproveWith) > 0; !asked {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		must(b, scene.Client.Get(ctx, client.ObjectKey{Namespace: "gate", Name: change.Status.Approvals[0].Name}, slot))
	}
	patch := fmt.Sprintf(`{"spec":{"decision":"Approved","acknowledgedDigest":"%s"}}`, slot.Spec.PlanDigest)
	began := time.Now()
	must(b, bob.Patch(ctx, slot, client.RawPatch("application/merge-patch+json", []byte(patch))))
	for event := range seen.ResultChan() {
		if event.Type == watch.Modified {
			return time.Since(began)
		}
	}
	b.Fatal("no effect was seen")
	return 0
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
