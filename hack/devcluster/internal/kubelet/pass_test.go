package kubelet

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// stage is a world that holds what a test puts there, and a clock.
type stage struct {
	configMaps map[string]map[string]string
	secrets    map[string]map[string]string
	ready      map[string]bool

	now    time.Time
	memory memory
	pod    *corev1.Pod
	events []event
}

func (s *stage) configMap(name types.NamespacedName) *corev1.ConfigMap {
	if data, ok := s.configMaps[name.Name]; ok {
		return &corev1.ConfigMap{Data: data}
	}
	return nil
}

func (s *stage) secret(name types.NamespacedName) *corev1.Secret {
	data, ok := s.secrets[name.Name]
	if !ok {
		return nil
	}
	secret := &corev1.Secret{Data: map[string][]byte{}}
	for key, value := range data {
		secret.Data[key] = []byte(value)
	}
	return secret
}

func (s *stage) serves(service types.NamespacedName) bool { return s.ready[service.String()] }

func (s *stage) address(*corev1.Node, types.UID) string { return "10.244.1.2" }

// newStage puts a pod with one container on a node; change edits it.
func newStage(annotations map[string]string, change func(*corev1.PodSpec)) *stage {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "1234", Generation: 1, Annotations: map[string]string{}},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyAlways,
			Containers:    []corev1.Container{{Name: "web", Image: "registry.example.com/shop/web:1"}},
		},
	}
	for key, value := range annotations {
		pod.Annotations[prefix+key] = value
	}
	if change != nil {
		change(&pod.Spec)
	}
	return &stage{now: start, pod: pod}
}

// play lets time pass as the loop would: a pass follows every change of the status, and every wait.
func (s *stage) play(d time.Duration) {
	end := s.now.Add(d)
	for range 10_000 {
		before := s.pod.Status.DeepCopy()
		p := newPass(s.pod.DeepCopy(), &corev1.Node{Status: corev1.NodeStatus{Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: "10.20.0.11"},
		}}}, s, s.memory, s.now)
		p.run()
		s.pod, s.memory = p.pod, p.memory
		s.events = append(s.events, p.events...)
		if !sameStatus(before, &s.pod.Status) {
			continue
		}
		if p.wait == 0 || s.now.Add(p.wait).After(end) {
			s.now = end
			return
		}
		s.now = s.now.Add(p.wait)
	}
	panic("the pod never comes to rest")
}

func sameStatus(a, b *corev1.PodStatus) bool {
	left, _ := a.Marshal()
	right, _ := b.Marshal()
	return string(left) == string(right)
}

// summary says in one line what kubectl get would show of the first container and the pod.
func (s *stage) summary() string {
	status := s.pod.Status.ContainerStatuses[0]
	text := string(s.pod.Status.Phase)
	switch {
	case status.State.Waiting != nil:
		text += " " + status.State.Waiting.Reason
	case status.State.Terminated != nil:
		text += " " + status.State.Terminated.Reason
	case status.Ready:
		text += " ready"
	default:
		text += " not ready"
	}
	return text
}

func (s *stage) tells(reason, part string) bool {
	return slices.ContainsFunc(s.events, func(e event) bool { return e.reason == reason && strings.Contains(e.message, part) })
}

func httpGet(path string, port int, period int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromInt(port)}},
		PeriodSeconds: period, FailureThreshold: 3,
	}
}

func limit(memory string) func(*corev1.PodSpec) {
	return func(spec *corev1.PodSpec) {
		spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)}
	}
}

func env(variable corev1.EnvVar) func(*corev1.PodSpec) {
	return func(spec *corev1.PodSpec) { spec.Containers[0].Env = []corev1.EnvVar{variable} }
}

func secretKey(name, key string) corev1.EnvVar {
	return corev1.EnvVar{Name: "A", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: name}, Key: key,
	}}}
}

func configMapVolume(spec *corev1.PodSpec) {
	spec.Volumes = []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: "web-config"},
	}}}}
}

func job(spec *corev1.PodSpec) { spec.RestartPolicy = corev1.RestartPolicyNever }

func TestPass_whatBecomesOfAPod(t *testing.T) {
	for _, c := range []struct {
		name        string
		annotations map[string]string
		change      func(*corev1.PodSpec)
		after       time.Duration
		want        string
		event, says string
		reason      string
	}{
		{name: "a pod with nothing special runs", after: time.Second, want: "Running ready",
			event: "Started", says: "Container started", reason: "health needs no annotation"},
		{name: "a process that exits crash-loops", annotations: map[string]string{"play": "Crash"}, after: 5 * time.Second,
			want: "Running CrashLoopBackOff", event: "BackOff", says: "Back-off restarting failed container web in pod web_shop(1234)",
			reason: "the second exit waits"},
		{name: "a limit below what the process needs kills it", annotations: map[string]string{"needs-memory": "200Mi"},
			change: limit("100Mi"), after: 5 * time.Second, want: "Running CrashLoopBackOff", event: "BackOff", says: "web",
			reason: "the limit decides, not a script"},
		{name: "a limit above what the process needs lets it run", annotations: map[string]string{"needs-memory": "200Mi"},
			change: limit("300Mi"), after: 5 * time.Second, want: "Running ready", event: "Started", says: "", reason: "a fix must help"},
		{name: "a variable that is not set crashes the process", annotations: map[string]string{"needs-env": "DB_URL"},
			after: 5 * time.Second, want: "Running CrashLoopBackOff", event: "BackOff", says: "web", reason: "the environment decides"},
		{name: "a variable that is set lets it run", annotations: map[string]string{"needs-env": "DB_URL"},
			change: env(corev1.EnvVar{Name: "DB_URL", Value: "x"}), after: 5 * time.Second, want: "Running ready",
			event: "Started", says: "", reason: "a fix must help"},
		{name: "a service without endpoints crashes the process", annotations: map[string]string{"needs-service": "db.data"},
			after: 5 * time.Second, want: "Running CrashLoopBackOff", event: "BackOff", says: "web", reason: "one fault causes another"},
		{name: "a tag that does not exist cannot be pulled", annotations: map[string]string{"images": "registry.example.com/shop/web:2"},
			after: 5 * time.Second, want: "Pending ImagePullBackOff", event: "Failed",
			says:   `rpc error: code = NotFound desc = failed to pull and unpack image "registry.example.com/shop/web:1"`,
			reason: "the list of images is the registry"},
		{name: "a registry that wants credentials refuses a pod without", annotations: map[string]string{"needs-pull-secret": "yes"},
			after: 5 * time.Second, want: "Pending ImagePullBackOff", event: "Failed", says: "401 Unauthorized",
			reason: "no image pull secret is named"},
		{name: "an image name that is none", change: func(s *corev1.PodSpec) { s.Containers[0].Image = "Web:1" },
			after: time.Second, want: "Pending InvalidImageName", event: "InspectFailed", says: "invalid reference format",
			reason: "kubelets check the name themselves"},
		{name: "a ConfigMap volume that is not there keeps the pod creating", change: configMapVolume, after: time.Minute,
			want: "Pending ContainerCreating", event: "FailedMount",
			says: `MountVolume.SetUp failed for volume "config" : configmap "web-config" not found`, reason: "nothing starts without its volumes"},
		{name: "a secret that is not there", change: env(secretKey("db", "password")), after: time.Second,
			want: "Pending CreateContainerConfigError", event: "Failed", says: `Error: secret "db" not found`, reason: "the container is not created"},
		{name: "a command that is not in the image", annotations: map[string]string{"play": "BadCommand"},
			change: func(s *corev1.PodSpec) { s.Containers[0].Command = []string{"serv"} }, after: 5 * time.Second,
			want: "Running CrashLoopBackOff", event: "Failed", says: `exec: "serv": executable file not found in $PATH`, reason: "the runtime refuses"},
		{name: "a readiness probe with the wrong path", annotations: map[string]string{"serves": "8080/ready"},
			change: func(s *corev1.PodSpec) { s.Containers[0].ReadinessProbe = httpGet("/healthz", 8080, 10) }, after: time.Minute,
			want: "Running not ready", event: "Unhealthy", says: "Readiness probe failed: HTTP probe failed with statuscode: 404", reason: "the path is unknown"},
		{name: "a readiness probe with the wrong port", annotations: map[string]string{"serves": "8080/ready"},
			change: func(s *corev1.PodSpec) { s.Containers[0].ReadinessProbe = httpGet("/ready", 9090, 10) }, after: time.Minute,
			want: "Running not ready", event: "Unhealthy",
			says:   `Readiness probe failed: Get "http://10.244.1.2:9090/ready": dial tcp 10.244.1.2:9090: connect: connection refused`,
			reason: "nothing listens"},
		{name: "a liveness probe that does not wait for a slow start", annotations: map[string]string{"serves-after": "1m"},
			change: func(s *corev1.PodSpec) { s.Containers[0].LivenessProbe = httpGet("/", 8080, 5) }, after: 25 * time.Second,
			want: "Running CrashLoopBackOff", event: "Killing", says: "Container web failed liveness probe, will be restarted", reason: "three failures kill"},
		{name: "a liveness probe that waits long enough", annotations: map[string]string{"serves-after": "12s"},
			change: func(s *corev1.PodSpec) { s.Containers[0].LivenessProbe = httpGet("/", 8080, 10) }, after: time.Minute,
			want: "Running ready", event: "Unhealthy", says: "Liveness probe failed", reason: "two failures do not kill"},
		{name: "a startup probe shields a slow start", annotations: map[string]string{"serves-after": "20s"},
			change: func(s *corev1.PodSpec) {
				s.Containers[0].LivenessProbe = httpGet("/", 8080, 1)
				s.Containers[0].StartupProbe = httpGet("/", 8080, 10)
			}, after: time.Minute, want: "Running ready", event: "Unhealthy", says: "Startup probe failed", reason: "liveness waits for it"},
		{name: "a job's pod completes", change: job, after: 5 * time.Second, want: "Succeeded Completed",
			event: "Started", says: "", reason: "a pod that is not to be restarted is there to finish"},
		{name: "a job's pod fails", annotations: map[string]string{"play": "Crash", "exit-code": "3"}, change: job, after: 5 * time.Second,
			want: "Failed Error", event: "Started", says: "", reason: "nothing restarts it"},
		{name: "an image that would run as root", annotations: map[string]string{"play": "RunsAsRoot"},
			change: func(s *corev1.PodSpec) {
				yes := true
				s.SecurityContext = &corev1.PodSecurityContext{RunAsNonRoot: &yes}
			}, after: time.Second, want: "Pending CreateContainerConfigError", event: "Failed",
			says: "container has runAsNonRoot and image will run as root", reason: "the pod forbids it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(c.annotations, c.change)
			s.play(c.after)
			if got := s.summary(); got != c.want {
				t.Errorf("got %q, want %q: %s", got, c.want, c.reason)
			}
			if !s.tells(c.event, c.says) {
				t.Errorf("no event %s %q: %s; got %v", c.event, c.says, c.reason, s.events)
			}
		})
	}
}

func TestPass_waitsLongerAfterEveryExit(t *testing.T) {
	s := newStage(map[string]string{"play": "Crash", "exit-code": "3"}, nil)
	for _, c := range []struct {
		after    time.Duration
		restarts int32
		message  string
	}{
		{4 * time.Second, 1, "back-off 10s restarting failed container=web pod=web_shop(1234)"},
		{12 * time.Second, 2, "back-off 20s restarting failed container=web pod=web_shop(1234)"},
		{21 * time.Second, 3, "back-off 40s restarting failed container=web pod=web_shop(1234)"},
		{20 * time.Minute, 9, "back-off 5m0s restarting failed container=web pod=web_shop(1234)"},
	} {
		s.play(c.after)
		status := s.pod.Status.ContainerStatuses[0]
		if status.RestartCount != c.restarts || status.State.Waiting == nil || status.State.Waiting.Message != c.message {
			t.Fatalf("after %v: got %d restarts and %+v, want %d and %q", s.now.Sub(start), status.RestartCount, status.State, c.restarts, c.message)
		}
		if last := status.LastTerminationState.Terminated; last == nil || last.ExitCode != 3 {
			t.Fatalf("the last exit: got %+v, want code 3", last)
		}
	}
}

func TestPass_aFixHelpsAPodThatWaits(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*corev1.PodSpec)
		fix    func(*stage)
		reason string
	}{
		{"a ConfigMap appears", configMapVolume,
			func(s *stage) { s.configMaps = map[string]map[string]string{"web-config": {}} }, "the volume can be mounted"},
		{"a key appears", env(secretKey("db", "password")),
			func(s *stage) { s.secrets = map[string]map[string]string{"db": {"password": "x"}} }, "the container can be created"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(nil, c.change)
			s.play(time.Minute)
			if got := s.summary(); !strings.HasPrefix(got, "Pending") {
				t.Fatalf("it does not wait: %s", got)
			}
			c.fix(s)
			s.play(time.Second)
			if got := s.summary(); got != "Running ready" {
				t.Errorf("got %q: %s", got, c.reason)
			}
		})
	}
}

func TestPass_initContainersComeFirst(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	change := func(spec *corev1.PodSpec) {
		spec.InitContainers = []corev1.Container{
			{Name: "proxy", Image: "proxy", RestartPolicy: &always}, {Name: "migrate", Image: "migrate"},
		}
	}
	t.Run("one that fails holds the pod back", func(t *testing.T) {
		s := newStage(map[string]string{"play.migrate": "Crash"}, change)
		s.play(5 * time.Second)
		if got := s.summary(); got != "Pending PodInitializing" {
			t.Errorf("got %q", got)
		}
		if waiting := s.pod.Status.InitContainerStatuses[1].State.Waiting; waiting == nil || waiting.Reason != crashLoop {
			t.Errorf("the init container: got %+v", s.pod.Status.InitContainerStatuses[1].State)
		}
		if condition(s.pod, corev1.PodInitialized) {
			t.Error("the pod counts as initialized")
		}
	})
	t.Run("when all have done their work the others start beside the sidecars", func(t *testing.T) {
		s := newStage(nil, change)
		s.play(5 * time.Second)
		if got := s.summary(); got != "Running ready" {
			t.Errorf("got %q", got)
		}
		if s.pod.Status.InitContainerStatuses[0].State.Running == nil {
			t.Error("the sidecar does not run")
		}
		if !condition(s.pod, corev1.PodReady) {
			t.Error("the pod is not ready")
		}
	})
}

func TestPass_aDeletedPodGoesAfterItsContainersStop(t *testing.T) {
	s := newStage(nil, nil)
	s.play(time.Second)
	s.pod.DeletionTimestamp = &metav1.Time{Time: s.now.Add(30 * time.Second)}
	node := &corev1.Node{}
	first := newPass(s.pod, node, s, s.memory, s.now)
	first.run()
	if first.gone || first.wait != time.Second || len(first.events) != 1 || first.events[0].message != "Stopping container web" {
		t.Errorf("at once: gone %v, wait %v, events %v", first.gone, first.wait, first.events)
	}
	second := newPass(s.pod, node, s, first.memory, s.now.Add(time.Second))
	second.run()
	if !second.gone || second.pod.Status.Phase != corev1.PodSucceeded || condition(second.pod, corev1.PodReady) {
		t.Errorf("a second later: gone %v, status %+v", second.gone, second.pod.Status)
	}
}

func TestAnnotatedLog_aFailedRunHasItsOwn(t *testing.T) {
	running := corev1.ContainerStatus{Name: "web", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
	failed := corev1.ContainerStatus{Name: "web", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}}
	for _, c := range []struct {
		name     string
		status   corev1.ContainerStatus
		previous bool
		want     string
	}{
		{"the log of a container that runs", running, false, "well"},
		{"the log of the run before", running, true, "panic"},
		{"the log of a container that has failed", failed, false, "panic"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(map[string]string{"log": "well", "log-failed": "panic"}, nil)
			s.pod.Status.ContainerStatuses = []corev1.ContainerStatus{c.status}
			if got, known := AnnotatedLog(s.pod, "web", c.previous); got != c.want || !known {
				t.Errorf("got %q, %v, want %q", got, known, c.want)
			}
		})
	}
}
