package diagnose

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Each row is what programs print as they end, with what it means.
func TestCrashes_whatProgramsSay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		says string
		want CauseID
	}{
		"bundler":                    {"bundler: command not found: worker\nInstall missing gem executables with `bundle install`", "CrashBadCommand"},
		"npm":                        {`npm error Missing script: "serve"`, "CrashBadCommand"},
		"yarn":                       {`error Command "serve" not found.`, "CrashBadCommand"},
		"pnpm":                       {"ERR_PNPM_NO_SCRIPT  Missing script: serve", "CrashBadCommand"},
		"poetry":                     {"Command not found: serve", "CrashBadCommand"},
		"uv":                         {"error: Failed to spawn: `serve`", "CrashBadCommand"},
		"supervisord":                {"supervisor: can't find command '/srv/run'", "CrashBadCommand"},
		"env":                        {"env: 'node22': No such file or directory", "CrashBadCommand"},
		"dumb-init":                  {"[dumb-init] serve: No such file or directory", "CrashBadCommand"},
		"rake":                       {"Don't know how to build task 'db:setupp' (see the list of available tasks with `rake --tasks`)", "CrashBadCommand"},
		"dotnet":                     {"The application to execute does not exist: '/app/Api.dll'.", "CrashBadCommand"},
		"java":                       {"no main manifest attribute, in /app/api.jar", "CrashBadCommand"},
		"uvicorn":                    {`ERROR:    Error loading ASGI app. Could not import module "main".`, "CrashBadCommand"},
		"libpq in French":            {`connection to server at "192.0.2.9", port 5432 failed: Connexion refusée`, "CrashDependencyRefused"},
		"libpq in German":            {`connection to server at "192.0.2.9", port 5432 failed: Verbindungsaufbau abgelehnt`, "CrashDependencyRefused"},
		"a settings class":           {"pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings\nqueue_url\n  Field required [type=missing, input_value={}, input_type=dict]", "CrashMissingEnv"},
		"a settings class, wrongly":  {"pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings\nworkers\n  Input should be a valid integer [type=int_parsing, input_value='many', input_type=str]", "CrashBadConfig"},
		"a settings struct":          {"Error: missing value for field queue_url", "CrashMissingEnv"},
		"a property that is needed":  {"SRCFG00014: The config property queue.url is required but it could not be found in any config source", "CrashMissingEnv"},
		"a framework's own sentence": {"django.core.exceptions.ImproperlyConfigured: Set the SITE_KEY environment variable", "CrashMissingEnv"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld("app")
			_, p := w.deployment("api", nil)
			crashed(p, "api", 1, "Error", "")
			w.log(p, "api", c.says+"\n")
			w.check(t, expected{cause: c.want, object: "Deployment/app/api"})
		})
	}
}

func TestMissingEnv_otherClassesAreNotFilledFromVariables(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	_, p := w.deployment("api", nil)
	crashed(p, "api", 1, "Error", "")
	w.log(p, "api", "ValidationError: 1 validation error for Order\nprice\n  Field required [type=missing, input_value={}, input_type=dict]\n")
	for _, f := range w.ask(t).RootCauses {
		if f.Cause == "CrashMissingEnv" {
			t.Errorf("takes the field of an order for a variable: %s", f.Message)
		}
	}
}

func TestMissingEnv_ofAnOptionalKeyThatDoesNotExist(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	yes := true
	w.ConfigMaps = append(w.ConfigMaps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "env"}, Data: map[string]string{"queue-ulr": "amqp://q"}})
	_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
		t.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "QUEUE_URL", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: "env"}, Key: "queue-url", Optional: &yes,
		}}}}
	})
	crashed(p, "api", 1, "Error", "")
	w.log(p, "api", "FATAL: environment variable QUEUE_URL is not set\n")
	w.check(t, expected{cause: "CrashMissingEnv", object: "Deployment/app/api", evidence: []string{"QUEUE_URL"}})
}

func TestQuota_onTheNumberOfJobs(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	c := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "load", CreationTimestamp: before(48 * time.Hour)}, Spec: batchv1.CronJobSpec{Schedule: "0 * * * *"}}
	w.CronJobs = append(w.CronJobs, c)
	w.event(ref("CronJob", "app", "load"), true, "FailedCreate", `Error creating job: jobs.batch "load-1" is forbidden: exceeded quota: counts, requested: count/jobs.batch=1, used: count/jobs.batch=5, limited: count/jobs.batch=5`)
	w.check(t, expected{cause: "QuotaExceeded", object: "ResourceQuota/app/counts", evidence: []string{"used: count/jobs.batch=5"}}, ref("CronJob", "app", "load"))
}

func TestQuota_aJobThatWasMadeSinceEndsTheRefusal(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	w.CronJobs = append(w.CronJobs, &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "load"}, Spec: batchv1.CronJobSpec{Schedule: "0 * * * *"}})
	w.event(ref("CronJob", "app", "load"), true, "FailedCreate", `Error creating job: exceeded quota: counts, requested: count/jobs.batch=1, used: count/jobs.batch=5, limited: count/jobs.batch=5`)
	w.event(ref("CronJob", "app", "load"), false, "SuccessfulCreate", "Created job load-2")
	w.Events[1].Last = noon.Add(-time.Minute)
	if r := w.ask(t); r.Verdict != NoFaultFound {
		t.Errorf("says %s: %s", r.Verdict, r.Summary)
	}
}

// scaler adds an autoscaler of api that has no metric for the reason given.
func (w *world) scaler(message string) {
	w.Autoscalers = append(w.Autoscalers, &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "api"},
		Spec:       autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{Kind: "Deployment", Name: "api"}, MaxReplicas: 5},
		Status: autoscalingv2.HorizontalPodAutoscalerStatus{Conditions: []autoscalingv2.HorizontalPodAutoscalerCondition{{
			Type: autoscalingv2.ScalingActive, Status: corev1.ConditionFalse, Reason: "FailedGetResourceMetric", Message: message,
		}}},
	})
}

func TestAutoscaler_ofPodsThatCrashIsAConsequence(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	_, p := w.deployment("api", nil)
	crashed(p, "api", 137, "OOMKilled", "")
	w.scaler("failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)")
	w.check(t, expected{cause: "OOMKilled", object: "Deployment/app/api", chain: []CauseID{"HPAMetricsUnavailable"}})
}

func TestAutoscaler_ofPodsThatAreWellKeepsItsFault(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	w.deployment("api", nil)
	w.scaler("failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)")
	w.check(t, expected{cause: "HPAMetricsUnavailable", object: "HorizontalPodAutoscaler/app/api"})
}

func TestAutoscaler_behindAMetricsServerThatGetsNoFigures(t *testing.T) {
	t.Parallel()
	w := newWorld("app", "kube-system")
	w.deployment("api", nil)
	w.scaler("unable to fetch metrics from resource metrics API: the server is currently unable to handle the request (get pods.metrics.k8s.io)")
	d, p := w.deployment("metrics-server", nil)
	labels := map[string]string{"app": "metrics-server"}
	d.Namespace, p.Namespace, w.ReplicaSets[1].Namespace = "kube-system", "kube-system", "kube-system"
	w.Services = append(w.Services, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "metrics-server"}, Spec: corev1.ServiceSpec{Selector: labels}})
	idles(p, "metrics-server")
	w.event(podRef(p), true, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 500")
	w.current(p, "metrics-server", `E0302 11:59:00.000000       1 scraper.go:149] "Failed to scrape node" err="tls: failed to verify certificate: x509: cannot validate certificate for 192.0.2.1 because it doesn't contain any IP SANs"`+"\n")
	w.check(t, expected{cause: "HPAMetricsUnavailable", object: "Deployment/kube-system/metrics-server", evidence: []string{"Failed to scrape node", "statuscode: 500"}})
}

func TestSidecar_thatNeverStartsKeepsTheMainContainerWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	always := corev1.ContainerRestartPolicyAlways
	_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
		t.Spec.InitContainers = []corev1.Container{{
			Name: "mesh", RestartPolicy: &always, Env: []corev1.EnvVar{{Name: "CONTROL", Value: "control.old-mesh.svc:15012"}},
			StartupProbe: &corev1.Probe{PeriodSeconds: 5, FailureThreshold: 600, ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromInt32(15021)}}},
		}}
	})
	p.CreationTimestamp = before(30 * time.Minute)
	idles(p, "mesh")
	no := false
	statusOf(p, "mesh").Started = &no
	podCondition(p, corev1.PodInitialized).Status = corev1.ConditionFalse
	c := statusOf(p, "api")
	c.Ready, c.State = false, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "PodInitializing"}}
	w.event(podRef(p), true, "Unhealthy", "Startup probe failed: HTTP probe failed with statuscode: 503")
	w.current(p, "mesh", "[warning][config] stream to the control plane closed: 14, no healthy upstream (lookup control.old-mesh.svc: NXDOMAIN)\n")
	w.check(t, expected{cause: "SidecarNotReady", object: "Deployment/app/api", evidence: []string{"no healthy upstream", "control.old-mesh.svc:15012", "statuscode: 503"}})
}

func TestQuota_onTheStorageOfAStatefulSetsClaims(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	tmpl := template("db")
	two := int32(2)
	w.StatefulSets = append(w.StatefulSets, &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "db"},
		Spec:       appsv1.StatefulSetSpec{Replicas: &two, Template: tmpl, Selector: &metav1.LabelSelector{MatchLabels: tmpl.Labels}},
	})
	w.pod("db-0", owned("StatefulSet", "db"), tmpl)
	w.event(ref("StatefulSet", "app", "db"), true, "FailedCreate", `create Claim data-db-1 for Pod db-1 in StatefulSet db failed error: persistentvolumeclaims "data-db-1" is forbidden: exceeded quota: disks, requested: requests.storage=50Gi, used: requests.storage=60Gi, limited: requests.storage=100Gi`)
	w.check(t, expected{cause: "QuotaExceeded", object: "ResourceQuota/app/disks", evidence: []string{"limited: requests.storage=100Gi"}})
}
