package diagnose

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

func TestWorkloadCauses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(*world)
		want expected
	}{
		"a container over its memory limit is killed": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				crashed(p, "api", 137, "OOMKilled", "")
			},
			expected{cause: "OOMKilled", object: "Deployment/app/api", evidence: []string{"reason: OOMKilled", "memory: 64Mi", "exitCode: 137"}},
		},
		"an init container over its memory limit is killed": {
			func(w *world) {
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.InitContainers = []corev1.Container{{Name: "unpack", Image: "x"}}
				})
				crashed(p, "unpack", 137, "OOMKilled", "")
				waits(p, "api", "PodInitializing", "")
			},
			expected{cause: "OOMKilled", object: "Deployment/app/api", evidence: []string{"reason: OOMKilled"}},
		},
		"an image without the tag": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				waits(p, "api", "ErrImagePull", `failed to resolve reference "registry.example.com/api:1.0": registry.example.com/api:1.0: not found`)
			},
			expected{cause: "ImageNotFound", object: "Deployment/app/api", evidence: []string{"not found", "image: registry.example.com/api:1.0"}},
		},
		"an image name that cannot be read": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				waits(p, "api", "InvalidImageName", `Failed to apply default image tag "Api:1.0": couldn't parse image name "Api:1.0": invalid reference format`)
			},
			expected{cause: "ImageNotFound", object: "Deployment/app/api", evidence: []string{"invalid reference format"}},
		},
		"a registry that refuses the credentials": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				waits(p, "api", "ImagePullBackOff", "Back-off pulling image")
				w.event(podRef(p), true, "Failed", `Failed to pull image "registry.example.com/api:1.0": unexpected status from HEAD request to https://registry.example.com/v2/api/manifests/1.0: 403 Forbidden`)
			},
			expected{cause: "ImagePullUnauthorized", object: "Deployment/app/api", evidence: []string{"403 Forbidden"}},
		},
		"an image for another architecture": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				waits(p, "api", "ImagePullBackOff", "Back-off pulling image")
				w.event(podRef(p), true, "Failed", `Failed to pull image "registry.example.com/api:1.0": no match for platform in manifest: not found`)
			},
			expected{cause: "ImageArchMismatch", object: "Deployment/app/api", evidence: []string{"no match for platform", "architecture: amd64"}},
		},
		"a binary for another architecture": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				crashed(p, "api", 255, "Error", "")
				w.log(p, "api", "exec /app/api: exec format error\n")
			},
			expected{cause: "ImageArchMismatch", object: "Deployment/app/api", evidence: []string{"exec format error"}},
		},
		"a registry that does not answer": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				waits(p, "api", "ImagePullBackOff", "Back-off pulling image")
				w.event(podRef(p), true, "Failed", `Failed to pull image "registry.example.com/api:1.0": dial tcp: lookup registry.example.com: no such host`)
			},
			expected{cause: "RegistryUnreachable", object: "Deployment/app/api", evidence: []string{"no such host"}},
		},
		"a secret that does not exist": {
			func(w *world) {
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.Containers[0].EnvFrom = []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "api-keys"}}}}
				})
				waits(p, "api", "CreateContainerConfigError", `secret "api-keys" not found`)
			},
			expected{cause: "MissingSecret", object: "Secret/app/api-keys", evidence: []string{`secret "api-keys" not found`}},
		},
		"a secret volume without the entry": {
			func(w *world) {
				w.Secrets = append(w.Secrets, &cluster.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "tls"}, Keys: []string{"crt"}})
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "tls", Items: []corev1.KeyToPath{{Key: "pem", Path: "pem"}}}}}}
				})
				waits(p, "api", "ContainerCreating", "")
				w.event(podRef(p), true, "FailedMount", `MountVolume.SetUp failed for volume "v" : references non-existent secret key: pem`)
			},
			expected{cause: "MissingSecretKey", object: "Deployment/app/api", evidence: []string{"references non-existent secret key: pem", "keys: crt"}},
		},
		"a configuration without the entry": {
			func(w *world) {
				w.ConfigMaps = append(w.ConfigMaps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "conf"}, Data: map[string]string{"LEVEL": "info"}})
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "LOG", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "conf"}, Key: "LOG_LEVEL"}}}}
				})
				waits(p, "api", "CreateContainerConfigError", `couldn't find key LOG_LEVEL in ConfigMap app/conf`)
			},
			expected{cause: "MissingConfigMap", object: "Deployment/app/api", evidence: []string{"couldn't find key LOG_LEVEL", "data: LEVEL"}},
		},
		"an entry point that is not executable": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				crashed(p, "api", 126, "StartError", `failed to create containerd task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/app/run.sh": permission denied: unknown`)
			},
			expected{cause: "CrashBadCommand", object: "Deployment/app/api", evidence: []string{"permission denied", "reason: StartError"}},
		},
		"a shell that does not find the program": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				crashed(p, "api", 127, "Error", "")
				w.log(p, "api", "/bin/sh: 1: gunicron: not found\n")
			},
			expected{cause: "CrashBadCommand", object: "Deployment/app/api", evidence: []string{"gunicron: not found", "exitCode: 127"}},
		},
		"an image that would run as root": {
			func(w *world) {
				yes := true
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsNonRoot: &yes}
				})
				waits(p, "api", "CreateContainerConfigError", `container has runAsNonRoot and image will run as root (pod: "api", container: api)`)
			},
			expected{cause: "RunAsNonRootViolation", object: "Deployment/app/api", evidence: []string{"image will run as root", "runAsNonRoot: true"}},
		},
		"a pod over its own disk limit": {
			func(w *world) {
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					cache := &corev1.EmptyDirVolumeSource{SizeLimit: resource.NewQuantity(500<<20, resource.BinarySI)}
					t.Spec.Volumes = []corev1.Volume{{Name: "cache", VolumeSource: corev1.VolumeSource{EmptyDir: cache}}}
				})
				unreadyPod(p)
				p.Status.Phase, p.Status.Reason = corev1.PodFailed, "Evicted"
				p.Status.Message = `Usage of EmptyDir volume "cache" exceeds the limit "500Mi". `
			},
			expected{cause: "EvictedEphemeralStorage", object: "Deployment/app/api", evidence: []string{`exceeds the limit "500Mi"`, "reason: Evicted", "sizeLimit: 500Mi"}},
		},
		"pods that give way to more important ones": {
			func(w *world) {
				_, p := w.deployment("batch", nil)
				p.Spec.NodeName, p.Status.Phase = "", corev1.PodPending
				p.Status.ContainerStatuses = nil
				unreadyPod(p)
				*podCondition(p, corev1.PodScheduled) = corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/2 nodes are available: 2 Insufficient cpu."}
				_, by := w.deployment("api", func(t *corev1.PodTemplateSpec) { t.Spec.PriorityClassName = "gold" })
				by.UID = "u-1"
				w.event(ref("Pod", "app", "batch-1-gone"), false, "Preempted", "Preempted by pod u-1 on node node-a")
			},
			expected{cause: "PriorityPreempted", object: "Deployment/app/api", evidence: []string{"Preempted by pod u-1", "priorityClassName: gold"}},
		},
		"a file system that is read-only": {
			func(w *world) {
				yes := true
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{ReadOnlyRootFilesystem: &yes}
				})
				crashed(p, "api", 1, "Error", "")
				w.log(p, "api", "OSError: [Errno 30] Read-only file system: '/app/tmp'\n")
			},
			expected{cause: "ReadOnlyFilesystem", object: "Deployment/app/api", evidence: []string{"Read-only file system", "readOnlyRootFilesystem: true"}},
		},
		"a file of another user": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				crashed(p, "api", 1, "Error", "")
				w.log(p, "api", "open /data/state.db: permission denied\n")
			},
			expected{cause: "CrashPermissionDenied", object: "Deployment/app/api", evidence: []string{"permission denied"}},
		},
		"a volume without space": {
			func(w *world) {
				w.Claims = append(w.Claims, &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "data"}, Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound, Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}}})
				_, p := w.deployment("db", func(t *corev1.PodTemplateSpec) {
					t.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
					t.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "v", MountPath: "/data"}}
				})
				crashed(p, "db", 1, "Error", "")
				w.log(p, "db", "PANIC:  could not write to file \"/data/wal/1\": No space left on device\n")
			},
			expected{cause: "DiskFullInContainer", object: "PersistentVolumeClaim/app/data", evidence: []string{"No space left on device", "storage: 1Gi"}},
		},
		"a configuration that is rejected": {
			func(w *world) {
				w.ConfigMaps = append(w.ConfigMaps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "web-conf"}, Data: map[string]string{"default.conf": "server {\n  porxy_pass http://x;\n}\n"}})
				_, p := w.deployment("web", func(t *corev1.PodTemplateSpec) {
					t.Spec.Volumes = []corev1.Volume{{Name: "c", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web-conf"}}}}}
					t.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "c", MountPath: "/etc/nginx/conf.d"}}
				})
				crashed(p, "web", 1, "Error", "")
				w.log(p, "web", "2026/03/02 11:57:00 [emerg] 1#1: unknown directive \"porxy_pass\" in /etc/nginx/conf.d/default.conf:2\n")
			},
			expected{cause: "CrashBadConfig", object: "ConfigMap/app/web-conf", evidence: []string{"unknown directive", "porxy_pass http://x;"}},
		},
		"flags that are rejected": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				crashed(p, "api", 2, "Error", "")
				w.log(p, "api", "Error: unknown flag: --lisen\nUsage:\n  api [flags]\n")
			},
			expected{cause: "CrashBadConfig", object: "Deployment/app/api", evidence: []string{"unknown flag: --lisen"}},
		},
		"a new version that crashes while the old one serves": {
			func(w *world) {
				d, p := w.deployment("api", nil)
				crashed(p, "api", 2, "Error", "")
				old := template("api")
				old.Spec.Containers[0].Image = "registry.example.com/api:0.9"
				w.revision(d, 0, old)
				w.log(p, "api", "starting\npanic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\n")
			},
			expected{cause: "BadRolloutNewVersionCrash", object: "Deployment/app/api", evidence: []string{"panic: runtime error", "image: registry.example.com/api:1.0"}},
		},
		"a version that crashes and has no predecessor": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				crashed(p, "api", 2, "Error", "")
				w.log(p, "api", "panic: runtime error: index out of range [3] with length 3\n")
			},
			expected{cause: "CrashApplicationError", object: "Deployment/app/api", evidence: []string{"index out of range"}},
		},
		"a sidecar that does not become ready": {
			func(w *world) {
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.Containers = append(t.Spec.Containers, corev1.Container{Name: "envoy", ReadinessProbe: &corev1.Probe{}})
				})
				idles(p, "envoy")
				w.event(podRef(p), true, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503")
			},
			expected{cause: "SidecarNotReady", object: "Deployment/app/api", evidence: []string{"Readiness probe failed"}},
		},
		"an init container that waits for something that is gone": {
			func(w *world) {
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.InitContainers = []corev1.Container{{Name: "wait", Command: []string{"sh", "-c", "until nc -z db 5432; do sleep 2; done"}}}
				})
				unreadyPod(p)
				podCondition(p, corev1.PodInitialized).Status = corev1.ConditionFalse
				waits(p, "api", "PodInitializing", "")
				p.Status.InitContainerStatuses[0].State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: before(30 * time.Minute)}}
				zero := int32(0)
				d, db := w.deployment("db", nil)
				d.Spec.Replicas = &zero
				w.remove(db)
				w.Services = append(w.Services, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "db"}, Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "db"}}})
			},
			expected{cause: "ScaledToZero", object: "Deployment/app/db", evidence: []string{"replicas: 0"}, chain: []CauseID{"InitContainerFailing"}},
		},
		"a readiness gate that nobody opens": {
			func(w *world) {
				_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "example.com/target-health"}}
				})
				unreadyPod(p)
				podCondition(p, corev1.PodReady).Reason = "ReadinessGatesNotReady"
			},
			expected{cause: "ReadinessProbeFailing", object: "Deployment/app/api", evidence: []string{"ReadinessGatesNotReady"}},
		},
		"a readiness probe on the wrong port": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				idles(p, "api")
				w.current(p, "api", "INFO server listening on :8080\n")
				w.event(podRef(p), true, "Unhealthy", `Readiness probe failed: dial tcp 10.1.1.1:9090: connect: connection refused`)
			},
			expected{cause: "ReadinessProbeFailing", object: "Deployment/app/api", evidence: []string{"10.1.1.1:9090: connect: connection refused", "listening on :8080"}},
		},
		"a readiness probe that is only slow": {
			func(w *world) {
				_, p := w.deployment("api", nil)
				idles(p, "api")
				w.event(podRef(p), true, "Unhealthy", `Readiness probe failed: Get "http://10.1.1.1:8080/ready": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`)
			},
			expected{cause: "ReadinessProbeFailing", object: "Deployment/app/api", evidence: []string{"context deadline exceeded"}},
		},
		"a job that ran too long": {
			func(w *world) {
				j, _ := w.job("import", "DeadlineExceeded")
				limit := int64(60)
				j.Spec.ActiveDeadlineSeconds = &limit
			},
			expected{cause: "JobDeadline", object: "Job/app/import", evidence: []string{"reason: DeadlineExceeded", "activeDeadlineSeconds: 60"}},
		},
		"a job whose runs are killed for memory": {
			func(w *world) {
				_, p := w.job("import", "BackoffLimitExceeded")
				statusOf(p, "import").State.Terminated.Reason = "OOMKilled"
			},
			expected{cause: "OOMKilled", object: "Job/app/import", evidence: []string{"reason: OOMKilled"}, chain: []CauseID{"JobBackoffLimit"}},
		},
		"a schedule that a run which never ends holds up": {
			func(w *world) {
				w.CronJobs = append(w.CronJobs, &batchv1.CronJob{
					ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "sync", CreationTimestamp: before(48 * time.Hour)},
					Spec:       batchv1.CronJobSpec{Schedule: "*/10 * * * *", ConcurrencyPolicy: batchv1.ForbidConcurrent},
					Status:     batchv1.CronJobStatus{LastScheduleTime: &metav1.Time{Time: noon.Add(-2 * time.Hour)}, Active: []corev1.ObjectReference{{Name: "sync-1"}}},
				})
			},
			expected{cause: "CronJobMissedSchedules", object: "CronJob/app/sync", evidence: []string{"concurrencyPolicy: Forbid", "active: sync-1"}},
		},
		"a schedule with too short a starting deadline": {
			func(w *world) {
				short := int64(5)
				w.CronJobs = append(w.CronJobs, &batchv1.CronJob{
					ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "sync", CreationTimestamp: before(48 * time.Hour)},
					Spec:       batchv1.CronJobSpec{Schedule: "@hourly", StartingDeadlineSeconds: &short},
					Status:     batchv1.CronJobStatus{LastScheduleTime: &metav1.Time{Time: noon.Add(-5 * time.Hour)}},
				})
				w.event(ref("CronJob", "app", "sync"), true, "MissSchedule", "Missed scheduled time to start a job: Mon, 02 Mar 2026 11:00:00 +0000")
			},
			expected{cause: "CronJobMissedSchedules", object: "CronJob/app/sync", evidence: []string{"startingDeadlineSeconds: 5", "MissSchedule"}},
		},
		"a rollout whose deadline is shorter than the start": {
			func(w *world) {
				d, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
					t.Spec.Containers[0].StartupProbe = &corev1.Probe{PeriodSeconds: 10, FailureThreshold: 60}
				})
				limit := int32(60)
				d.Spec.ProgressDeadlineSeconds = &limit
				d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded", Message: "timed out", LastTransitionTime: before(3 * time.Minute)}}
				unreadyPod(p)
				c := statusOf(p, "api")
				c.Ready, c.State = false, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: before(4 * time.Minute)}}
				podCondition(p, corev1.PodReady).LastTransitionTime = before(4 * time.Minute)
			},
			expected{cause: "DeploymentProgressDeadline", object: "Deployment/app/api", evidence: []string{"progressDeadlineSeconds: 60", "reason: ProgressDeadlineExceeded"}},
		},
		"a stateful set that waits for a pod of a broken revision": {
			func(w *world) {
				tmpl := template("db")
				one := int32(1)
				w.StatefulSets = append(w.StatefulSets, &appsv1.StatefulSet{
					ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "db"},
					Spec:       appsv1.StatefulSetSpec{Replicas: &one, Template: tmpl},
					Status:     appsv1.StatefulSetStatus{CurrentRevision: "db-1", UpdateRevision: "db-3"},
				})
				tmpl.Labels = map[string]string{"app": "db", appsv1.ControllerRevisionHashLabelKey: "db-2"}
				p := w.pod("db-0", owned("StatefulSet", "db"), tmpl)
				waits(p, "db", "ImagePullBackOff", "Back-off pulling image: not found")
			},
			expected{cause: "StatefulSetStuckRollout", object: "StatefulSet/app/db", evidence: []string{"updateRevision: db-3", "controller-revision-hash: db-2"}},
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
