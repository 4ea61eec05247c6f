package v1alpha1_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

func TestAgentTask_wallClock(t *testing.T) {
	cases := []struct {
		name   string
		limits *v1alpha1.TaskLimits
		want   time.Duration
	}{
		{"no limits", nil, 30 * time.Minute},
		{"limits without it", &v1alpha1.TaskLimits{}, 30 * time.Minute},
		{"its own", &v1alpha1.TaskLimits{WallClock: &metav1.Duration{Duration: time.Minute}}, time.Minute},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			task := &v1alpha1.AgentTask{Spec: v1alpha1.AgentTaskSpec{Limits: tc.limits}}
			if got := task.WallClock(); got != tc.want {
				t.Errorf("WallClock() = %s, want %s", got, tc.want)
			}
		})
	}
}

func TestAddToScheme(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"AgentTask", "AgentTaskList"} {
		if !scheme.Recognizes(v1alpha1.GroupVersion.WithKind(kind)) {
			t.Errorf("%s is not known to the scheme", kind)
		}
	}
}
