package kubernetes_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func eventually(t testing.TB, holds func() bool) {
	t.Helper()
	for range 200 {
		if holds() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("it does not come true")
}

// BenchmarkPlan plans 20 operations on 20 Deployments.
func BenchmarkPlan(b *testing.B) {
	s := newStage(b)
	var operations []string
	for i := range 20 {
		name := fmt.Sprintf("web-%d", i)
		s.have(strings.ReplaceAll(web, "name: web, namespace", "name: "+name+", namespace"))
		operations = append(operations, `setImage: {target: {kind: Deployment, name: `+name+`}, container: web, image: "web:2"}`)
	}
	s.plan(operations...)
	for b.Loop() {
		s.plan(operations...)
	}
}
