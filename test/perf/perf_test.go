// Package perf measures, on a real API server and with the operator that people install, how fast questions are answered by
// rules, from the moment they are applied; how soon a change has its effect once it is agreed to; what each costs the API
// server; and what finished tasks cost the operator.
package perf

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/hack/local"
	"github.com/eclusier/eclusier/test/stage"
)

// applicants is how many clients apply tasks at a time.
const applicants = 8

var (
	scene    *stage.Stage
	operator *local.Operator
	rounds   int
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	os.Exit(play(m))
}

func play(m *testing.M) int {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		return m.Run() // nothing here is a test; do not start an API server for none
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var err error
	if scene, err = stage.Raise(ctx); err == nil {
		defer func() { _ = scene.Strike() }()
		err = scene.Tenant(ctx, "shop")
	}
	if err == nil {
		err = fill(ctx)
	}
	if err == nil {
		operator, err = scene.Operator(ctx, "operator")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { operator.Stop() }()
	return m.Run()
}

// fill makes a namespace of ordinary size: ten Deployments without pods.
func fill(ctx context.Context) error {
	for i := range 10 {
		labels := map[string]string{"app": fmt.Sprint("app-", i)}
		replicas := int32(0)
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: labels["app"]},
			Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
					Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.org/app"}}}}}}
		if err := scene.Client.Create(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkTasks applies so many tasks at once and waits until all of them have succeeded.
func BenchmarkTasks(b *testing.B) {
	for _, many := range []int{1, 100, 1000} {
		b.Run(strconv.Itoa(many), func(b *testing.B) {
			var took []time.Duration
			writes, tasks := 0, 0
			began := time.Now()
			for b.Loop() {
				round := answer(b, many)
				took = append(took, round.took...)
				writes += round.writes
				tasks += many
			}
			elapsed := time.Since(began)
			slices.Sort(took)
			b.ReportMetric(float64(tasks)/elapsed.Seconds(), "tasks/s")
			b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
			b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
			b.ReportMetric(float64(writes)/float64(tasks), "status-writes/task")
			b.ReportMetric(float64(events(b))/float64(all(b)), "events/task")
		})
	}
}

// BenchmarkMemory holds so many finished tasks and weighs the operator, as it has become and freshly started.
func BenchmarkMemory(b *testing.B) {
	for _, many := range []int{1000, 10_000} {
		b.Run(strconv.Itoa(many), func(b *testing.B) {
			for have := all(b); have < many; have = all(b) {
				answer(b, min(1000, many-have))
			}
			grown := resident(b)
			operator.Stop()
			var err error
			if operator, err = scene.Operator(context.Background(), fmt.Sprint("with-", many)); err != nil {
				b.Fatal(err)
			}
			answer(b, 1)
			restarted := resident(b)
			for b.Loop() { // the figures are weights, not times
			}
			b.ReportMetric(grown, "MB-grown")
			b.ReportMetric(restarted, "MB-restarted")
		})
	}
}

// round is what one wave of tasks took.
type round struct {
	took   []time.Duration
	writes int
}

// answer applies so many tasks and returns when all have succeeded.
func answer(b *testing.B, many int) round {
	b.Helper()
	rounds++
	label := map[string]string{"round": strconv.Itoa(rounds)}
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Minute)
	defer cancel()
	before := &v1alpha1.AgentTaskList{}
	if err := scene.Client.List(ctx, before, client.InNamespace("shop"), client.Limit(1)); err != nil {
		b.Fatal(err)
	}
	changes, err := scene.Watch(ctx, before.ResourceVersion, client.InNamespace("shop"), client.MatchingLabels(label))
	if err != nil {
		b.Fatal(err)
	}
	defer changes.Stop()
	var applied sync.Map
	names := make(chan string, many)
	for i := range many {
		names <- fmt.Sprintf("task-%d-%d", rounds, i)
	}
	close(names)
	for range applicants {
		go func() {
			for name := range names {
				applied.Store(name, time.Now())
				task := &v1alpha1.AgentTask{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: label},
					Spec: v1alpha1.AgentTaskSpec{Prompt: "is deployment app-3 in shop healthy?"}}
				if err := scene.Client.Create(ctx, task); err != nil {
					b.Error(err)
					cancel()
				}
			}
		}()
	}
	var done round
	for len(done.took) < many {
		change, open := <-changes.ResultChan()
		if !open {
			b.Fatalf("%d of %d tasks ended", len(done.took), many)
		}
		task := change.Object.(*v1alpha1.AgentTask)
		if change.Type != watch.Modified {
			continue
		}
		done.writes++
		if task.Status.CompletedAt == nil {
			continue
		}
		if task.Status.Verdict == "" {
			b.Fatalf("%s has no answer: %+v", task.Name, task.Status.Failure)
		}
		start, _ := applied.Load(task.Name)
		done.took = append(done.took, time.Since(start.(time.Time)))
	}
	return done
}

func all(b *testing.B) int { return count(b, &v1alpha1.AgentTaskList{}) }

func events(b *testing.B) int { return count(b, &eventsv1.EventList{}) }

// count asks for one object and adds what the API server says remains.
func count(b *testing.B, list client.ObjectList) int {
	b.Helper()
	if err := scene.Client.List(b.Context(), list, client.InNamespace("shop"), client.Limit(1)); err != nil {
		b.Fatal(err)
	}
	remaining := list.GetRemainingItemCount()
	if remaining == nil {
		return 1
	}
	return int(*remaining) + 1
}

// resident is the operator's resident memory in megabytes.
func resident(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", operator.PID()))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
			kilobytes, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kilobytes / 1024
		}
	}
	b.Fatal("the kernel does not say how much memory the operator has")
	return 0
}
