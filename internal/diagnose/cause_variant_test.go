package diagnose

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/eclusier/eclusier/internal/cluster"
)

func TestWorkloadCauses_variants(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(*world)
		want expected
	}{
		"a registry that limits": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				waits(p, "api", "ImagePullBackOff", "429 Too Many Requests - toomanyrequests: You have reached your pull rate limit")
			},
			expected{cause: "RegistryRateLimited", object: "Deployment/app/api", evidence: []string{"toomanyrequests"}},
		},
		"a registry whose certificate has expired": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				waits(p, "api", "ImagePullBackOff", "tls: failed to verify certificate: x509: certificate has expired or is not yet valid")
			},
			expected{cause: "TLSCertExpired", object: "Deployment/app/api", evidence: []string{"certificate has expired"}},
		},
		"a public repository that does not exist": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				waits(p, "api", "ImagePullBackOff", "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed")
			},
			expected{cause: "ImageNotFound", object: "Deployment/app/api", evidence: []string{"pull access denied"}},
		},
		"the same words where there are credentials": {
			func(w *world) {
				w.Secrets = append(w.Secrets, &cluster.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "registry"}, Keys: []string{".dockerconfigjson"}})
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "registry"}}
				})
				waits(p, "api", "ImagePullBackOff", "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed")
			},
			expected{cause: "ImagePullUnauthorized", object: "Deployment/app/api", evidence: []string{"pull access denied"}},
		},
		"a pull secret that is misspelt": {
			func(w *world) {
				w.Secrets = append(w.Secrets, &cluster.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "registry"}, Keys: []string{".dockerconfigjson"}})
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "registri"}}
				})
				waits(p, "api", "ImagePullBackOff", "401 Unauthorized")
				w.event(podRef(p), true, "FailedToRetrieveImagePullSecret", "Unable to retrieve some image pull secrets (registri); attempting to pull the image may not succeed.")
			},
			expected{cause: "ImagePullUnauthorized", object: "Secret/app/registri", evidence: []string{"(registri)", "name: registri"}},
		},
		"a container without a memory limit": {
			func(w *world) {
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) { t.Spec.Containers[0].Resources = corev1.ResourceRequirements{} })
				crashed(p, "api", 137, "OOMKilled", "")
			},
			expected{cause: "OOMKilled", object: "Deployment/app/api", evidence: []string{"reason: OOMKilled"}},
		},
		"a heap that is exhausted": {
			func(w *world) {
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) { t.Spec.Containers[0].Args = []string{"-Xmx256m"} })
				crashed(p, "api", 1, "Error", "")
				w.log(p, "api", "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space\n")
			},
			expected{cause: "CrashOutOfMemory", object: "Deployment/app/api", evidence: []string{"Java heap space", "memory: 64Mi", "args: -Xmx256m"}},
		},
		"a liveness probe that asks for the wrong path": {
			func(w *world) {
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.Containers[0].LivenessProbe = &corev1.Probe{FailureThreshold: 3, ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/alive", Port: intstr.FromInt32(8080), Scheme: corev1.URISchemeHTTPS}}}
				})
				crashed(p, "api", 143, "Error", "")
				w.event(podRef(p), false, "Killing", "Container api failed liveness probe, will be restarted")
				w.event(podRef(p), true, "Unhealthy", "Liveness probe failed: HTTP probe failed with statuscode: 404")
			},
			expected{cause: "LivenessProbeTooAggressive", object: "Deployment/app/api", evidence: []string{"statuscode: 404", "path: /alive", "scheme: HTTPS"}},
		},
		"a startup probe that gives up": {
			func(w *world) {
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.Containers[0].StartupProbe = &corev1.Probe{FailureThreshold: 2, PeriodSeconds: 5, ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(8080)}}}
				})
				crashed(p, "api", 137, "Error", "")
				w.event(podRef(p), false, "Killing", "Container api failed startup probe, will be restarted")
				w.log(p, "api", "2026-03-02T11:57:00Z INFO loading the model, 40 %\n")
			},
			expected{cause: "LivenessProbeTooAggressive", object: "Deployment/app/api", evidence: []string{"failed startup probe", "failureThreshold: 2", "loading the model"}},
		},
		"a probe with the wrong scheme": {
			func(w *world) {
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.Containers[0].ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"true"}}}}
				})
				idles(p, "api")
				w.event(podRef(p), true, "Unhealthy", `Readiness probe failed: Get "https://10.1.1.1:8080/": http: server gave HTTP response to HTTPS client`)
			},
			expected{cause: "ReadinessProbeFailing", object: "Deployment/app/api", evidence: []string{"HTTP response to HTTPS client", "command: true"}},
		},
		"a variable that is set and complained of is not called missing": {
			func(w *world) {
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "DB_URL", Value: "postgres://db/x"}}
				})
				crashed(p, "api", 1, "Error", "")
				w.log(p, "api", "FATAL: DB_URL is not set\nError: unknown flag: --x\n")
			},
			expected{cause: "CrashBadConfig", object: "Deployment/app/api", evidence: []string{"unknown flag"}},
		},
		"a variable under a similar name": {
			func(w *world) {
				w.ConfigMaps = append(w.ConfigMaps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "env"}, Data: map[string]string{"DB_HSOT": "db"}})
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.Containers[0].EnvFrom = []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "env"}}}}
				})
				crashed(p, "api", 1, "Error", "")
				w.log(p, "api", "KeyError: 'DB_HOST'\n")
			},
			expected{cause: "CrashMissingEnv", object: "Deployment/app/api", evidence: []string{"DB_HSOT", "KeyError"}},
		},
		"a full disk that no path names, on the only claim": {
			func(w *world) {
				w.Claims = append(w.Claims, &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "data"}, Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound, Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")}}})
				_, p := w.deployment("db", func(t *corev1.PodTemplateSpec) {
					t.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
					t.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "v", MountPath: "/data"}}
				})
				idles(p, "db")
				w.current(p, "db", "ERROR disk full, refusing writes\nERROR disk full, refusing writes\n")
			},
			expected{cause: "DiskFullInContainer", object: "PersistentVolumeClaim/app/data", evidence: []string{"disk full", "storage: 2Gi"}},
		},
		"a full file system of the container itself": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				crashed(p, "api", 1, "Error", "")
				w.log(p, "api", "write /tmp/x: no space left on device\n")
			},
			expected{cause: "DiskFullInContainer", object: "Deployment/app/api", evidence: []string{"no space left"}},
		},
		"a process of another user on a volume": {
			func(w *world) {
				user, group := int64(1000), int64(2000)
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsUser: &user, FSGroup: &group}
					t.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{RunAsUser: &user}
					t.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "v", MountPath: "/data", ReadOnly: true}}
				})
				crashed(p, "api", 1, "Error", "")
				w.log(p, "api", "open /data/x: permission denied\n")
			},
			expected{cause: "CrashPermissionDenied", object: "Deployment/app/api", evidence: []string{"runAsUser: 1000", "fsGroup: 2000", "mountPath: /data", "readOnly: true"}},
		},
		"an ephemeral storage limit": {
			func(w *world) {
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.Containers[0].Resources.Limits[corev1.ResourceEphemeralStorage] = resource.MustParse("1Gi")
				})
				unreadyPod(p)
				p.Status.Phase, p.Status.Reason = corev1.PodFailed, "Evicted"
				w.event(podRef(p), true, "Evicted", `Container api exceeded its local ephemeral storage limit "1Gi". `)
			},
			expected{cause: "EvictedEphemeralStorage", object: "Deployment/app/api", evidence: []string{"exceeded its local ephemeral storage limit", "ephemeral-storage: 1Gi"}},
		},
		"a pod that was preempted and is still told of": {
			func(w *world) {
				_, p := w.deployment("batch", nil)
				unreadyPod(p)
				p.Status.Phase, p.Status.Reason = corev1.PodFailed, "Preempting"
				p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler, Message: "default-scheduler: preempting to accommodate a higher priority pod", LastTransitionTime: before(10 * time.Minute)})
			},
			expected{cause: "PriorityPreempted", object: "Deployment/app/batch", evidence: []string{"reason: PreemptionByScheduler"}},
		},
		"a secret that is misspelt": {
			func(w *world) {
				w.Secrets = append(w.Secrets, &cluster.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "api-keys"}, Keys: []string{"a"}})
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "api-kyes"}, Key: "a"}}}}
				})
				waits(p, "api", "CreateContainerConfigError", `secret "api-kyes" not found`)
			},
			expected{cause: "MissingSecret", object: "Secret/app/api-kyes", evidence: []string{`secret "api-kyes" not found`, "key: a"}},
		},
		"a job whose runs lack a variable": {
			func(w *world) {
				_, p := w.job("import", "BackoffLimitExceeded")
				w.current(p, "import", "KeyError: 'FEED_URL'\n")
			},
			expected{cause: "CrashMissingEnv", object: "Job/app/import", evidence: []string{"FEED_URL"}, chain: []CauseID{"JobBackoffLimit"}},
		},
		"a rollout that fetches an image for longer than its deadline": {
			func(w *world) {
				d, p := w.deployment("api", nil)
				limit := int32(120)
				d.Spec.ProgressDeadlineSeconds = &limit
				d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded"}}
				w.event(podRef(p), false, "Pulled", `Successfully pulled image "x" in 4m10s (4m10s including waiting). Image size: 1 bytes.`)
			},
			expected{cause: "DeploymentProgressDeadline", object: "Deployment/app/api", evidence: []string{"in 4m10s", "progressDeadlineSeconds: 120"}},
		},
		"a native sidecar that holds the pod back": {
			func(w *world) {
				always := corev1.ContainerRestartPolicyAlways
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.InitContainers = []corev1.Container{{Name: "proxy", RestartPolicy: &always, StartupProbe: &corev1.Probe{PeriodSeconds: 1, FailureThreshold: 3}}}
				})
				unreadyPod(p)
				podCondition(p, corev1.PodInitialized).Status = corev1.ConditionFalse
				waits(p, "api", "PodInitializing", "")
				no := false
				p.Status.InitContainerStatuses[0] = corev1.ContainerStatus{Name: "proxy", Started: &no, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: before(20 * time.Minute)}}}
				w.event(podRef(p), true, "Unhealthy", "Startup probe failed: connection refused")
			},
			expected{cause: "SidecarNotReady", object: "Deployment/app/api", evidence: []string{"Startup probe failed"}},
		},
		"a bare pod that failed": {
			func(w *world) {
				p := w.pod("once", nil, template("once"))
				unreadyPod(p)
				p.Status.Phase = corev1.PodFailed
				c := statusOf(p, "once")
				c.Ready, c.State = false, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", FinishedAt: before(time.Hour)}}
				w.current(p, "once", "panic: boom\n")
			},
			expected{cause: "CrashApplicationError", object: "Pod/app/once", evidence: []string{"panic: boom"}},
		},
		"a pod template that is invalid": {
			func(w *world) {
				d, _ := w.deployment("api", nil)
				w.refuses(d, `Pod "api-1-z" is invalid: spec.containers[0].image: Required value`)
			},
			expected{cause: "InvalidPodSpec", object: "Deployment/app/api", evidence: []string{"Required value"}},
		},
		"a port that is taken in the pod": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				crashed(p, "api", 1, "Error", "")
				w.log(p, "api", "listen tcp :8080: bind: address already in use\n")
			},
			expected{cause: "CrashPortInUse", object: "Deployment/app/api", evidence: []string{"address already in use"}},
		},
		"a file that is not there": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				crashed(p, "api", 1, "Error", "")
				w.log(p, "api", "open /srv/model.bin: no such file or directory\n")
			},
			expected{cause: "CrashMissingFile", object: "Deployment/app/api", evidence: []string{"/srv/model.bin"}},
		},
		"a migration in the main container": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				crashed(p, "api", 1, "Error", "")
				w.log(p, "api", "ERROR:  could not create unique index \"k\"\nDETAIL:  Key (a)=(1) is duplicated.\n")
			},
			expected{cause: "MigrationFailed", object: "Deployment/app/api", evidence: []string{"could not create unique index", "is duplicated"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			c.make(w)
			w.check(t, c.want)
		})
	}
}

func TestARolloutThatIsPausedIsNamedToThoseWhoAsk(t *testing.T) {
	t.Parallel()
	w := newWorld()
	d, _ := w.deployment("api", nil)
	d.Spec.Paused, d.Status.UpdatedReplicas = true, 0
	if r := Diagnose(w.Snapshot, Question{Namespace: "app"}); r.Verdict != NoFaultFound {
		t.Errorf("verdict %s: %s", r.Verdict, r.Summary)
	}
	w.check(t, expected{cause: "RolloutPaused", object: "Deployment/app/api", evidence: []string{"paused: true"}}, ref("Deployment", "app", "api"))
}

func TestSecretsInSettingsAndLogsAreNotShown(t *testing.T) {
	t.Parallel()
	w := newWorld()
	_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
		t.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "CACHE_PASSWORD", Value: "4711hunter2secret"}, {Name: "CACHE_ITEMS", Value: "250000"}}
		t.Spec.Containers[0].Args = []string{"--memory-url=redis://user:4712hunter2secret@cache:6379"}
	})
	crashed(p, "api", 137, "OOMKilled", "")
	w.log(p, "api", "env DATABASE_URL=postgres://app:4713hunter2secret@db:5432/app\n")
	out, err := json.Marshal(w.ask(t))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "hunter2secret") {
		t.Errorf("a secret is shown: %s", out)
	}
	if !strings.Contains(string(out), "CACHE_ITEMS: 250000") {
		t.Errorf("a harmless setting is hidden: %s", out)
	}
}

func TestCronSchedules(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 12, 7, 30, 0, time.UTC) // a Monday
	for schedule, want := range map[string]string{
		"*/15 * * * *":    "2026-03-02T12:15:00Z",
		"0 3 * * *":       "2026-03-03T03:00:00Z",
		"30 1 * * sun":    "2026-03-08T01:30:00Z",
		"0 0 1 jan *":     "2027-01-01T00:00:00Z",
		"0 0 13 * 5":      "2026-03-06T00:00:00Z",
		"5-10/5 12 * * *": "2026-03-02T12:10:00Z",
		"@hourly":         "2026-03-02T13:00:00Z",
		"0 0 30 2 *":      "",
	} {
		c, ok := parseCron(schedule)
		if !ok {
			t.Errorf("%q is not read", schedule)
			continue
		}
		got := ""
		if next := c.next(at); !next.IsZero() {
			got = next.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q is next at %s, want %s", schedule, got, want)
		}
	}
	for _, schedule := range []string{"", "* * * *", "61 * * * *", "a * * * *", "*/0 * * * *", "5-1 * * * *", "@every 5m"} {
		if _, ok := parseCron(schedule); ok {
			t.Errorf("%q is read", schedule)
		}
	}
}

func TestAScheduleInATimeZoneIsNotJudgedByTheClock(t *testing.T) {
	t.Parallel()
	w := newWorld()
	zone := "Europe/Paris"
	w.CronJobs = append(w.CronJobs, &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "sync", CreationTimestamp: before(48 * time.Hour)},
		Spec:       batchv1.CronJobSpec{Schedule: "@hourly", TimeZone: &zone},
		Status:     batchv1.CronJobStatus{LastScheduleTime: &metav1.Time{Time: noon.Add(-5 * time.Hour)}},
	})
	if r := Diagnose(w.Snapshot, Question{Namespace: "app"}); r.Verdict != NoFaultFound {
		t.Errorf("verdict %s: %s", r.Verdict, r.Summary)
	}
}

func TestSimilarNamesAreSlips(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		candidates []string
		want       string
	}{
		{"registry-cred", []string{"db", "registry-creds"}, "registry-creds"},
		{"DB_HOST", []string{"DB_HSOT"}, "DB_HSOT"},
		{"api", []string{"web"}, ""},
		{"api", []string{"api"}, ""},
		{"", []string{"a"}, ""},
	} {
		if got := similar(c.name, c.candidates); got != c.want {
			t.Errorf("%q resembles %q, want %q", c.name, got, c.want)
		}
	}
	for name, want := range map[string]string{"SMTP_HOST": "SMTP_SERVER", "DB_PASSWORD": "DB_PASS", "OTHER": ""} {
		if got := nearName(name, []string{"SMTP_SERVER", "DB_PASS"}); got != want {
			t.Errorf("%s is near %q, want %q", name, got, want)
		}
	}
}
