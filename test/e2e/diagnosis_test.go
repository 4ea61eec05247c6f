package e2e

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/hack/local"
)

// diagnosis is one failing workload: testdata/<name>.yaml, applied to the namespace <name>.
type diagnosis struct {
	name     string
	reason   string
	shows    sign
	question string
	verdict  v1alpha1.Verdict
	// cause and objects (Kind/name, equally good) are those of the first root cause.
	cause   string
	objects []string
}

const found = v1alpha1.VerdictRootCauseFound

var diagnoses = []diagnosis{
	{"image-tag", "images: the tag does not exist", waiting("ImagePullBackOff"),
		"Why does web not start?", found, "ImageNotFound", []string{"Deployment/web"}},
	{"image-secret", "images: the registry wants credentials", waiting("ImagePullBackOff"),
		"Pourquoi le déploiement web ne démarre-t-il pas ?", found, "ImagePullUnauthorized", []string{"Deployment/web"}},
	{"oom", "memory: the limit is below what the process needs", waiting("CrashLoopBackOff"),
		"why does cart keep restarting?", found, "OOMKilled", []string{"Deployment/cart"}},
	{"missing-env", "crashes: the process says which variable it lacks", waiting("CrashLoopBackOff"),
		"mailer crashes, why?", found, "CrashMissingEnv", []string{"Deployment/mailer"}},
	{"bad-command", "crashes: the command is not in the image", waiting("CrashLoopBackOff"),
		"Why is worker not running?", found, "CrashBadCommand", []string{"Deployment/worker"}},
	{"dependency", "crashes: what it needs refuses connections, and that is the root", waiting("CrashLoopBackOff"),
		"Why does api crash?", found, "ScaledToZero", []string{"StatefulSet/db"}},
	{"readiness", "probes: the path of the readiness probe is wrong", event("Unhealthy"),
		"Why is web not ready?", found, "ReadinessProbeFailing", []string{"Deployment/web"}},
	{"liveness", "probes: the liveness probe kills a slow start", waiting("CrashLoopBackOff"),
		"pourquoi payments redémarre-t-il sans arrêt ?", found, "LivenessProbeTooAggressive", []string{"Deployment/payments"}},
	{"memory", "scheduling: no node has the memory", event("FailedScheduling"),
		"Why is search pending?", found, "UnschedulableInsufficientMemory", []string{"Deployment/search"}},
	{"node-selector", "scheduling: no node has the label", event("FailedScheduling"),
		"Why is gpu-job pending?", found, "UnschedulableAffinity", []string{"Deployment/gpu-job"}},
	{"volume-class", "storage: the claim's class does not exist", event("ProvisioningFailed"),
		"Why does the statefulset db not start?", found, "PVCPendingNoStorageClass", []string{"PersistentVolumeClaim/data-db-0", "StatefulSet/db"}},
	{"config-map", "configuration: the ConfigMap does not exist", waiting("CreateContainerConfigError"),
		"Why is cart stuck?", found, "MissingConfigMap", []string{"ConfigMap/cart-config", "Deployment/cart"}},
	{"secret-key", "configuration: the Secret lacks the key", waiting("CreateContainerConfigError"),
		"Qu'est-ce qui bloque ledger ?", found, "MissingSecretKey", []string{"Secret/ledger-db", "Deployment/ledger"}},
	{"service-account", "accounts: the ServiceAccount does not exist", event("FailedCreate"),
		"Why has deployment billing no pods?", found, "ServiceAccountMissing", []string{"ServiceAccount/billing", "Deployment/billing"}},
	{"quota", "admission: the quota is full", event("FailedCreate"),
		"Why does web have too few replicas?", found, "QuotaExceeded", []string{"ResourceQuota/team", "Deployment/web"}},
	{"pod-security", "admission: Pod Security refuses the pods", event("FailedCreate"),
		"Why has agent no pods?", found, "PodSecurityRejected", []string{"DaemonSet/agent"}},
	{"init", "init containers: the migration fails", waiting("CrashLoopBackOff"),
		"Why does orders not start?", found, "InitContainerFailing", []string{"Deployment/orders"}},
	{"job", "jobs: the retries are used up", event("BackoffLimitExceeded"),
		"Why did the job import fail?", found, "JobBackoffLimit", []string{"Job/import"}},
	{"selector", "services: the Service selects other pods", available,
		"Nobody can reach the service catalog, why?", found, "SelectorMismatch", []string{"Service/catalog"}},
	{"autoscaler", "autoscaling: there are no metrics", event("FailedGetResourceMetric"),
		"Why does the hpa web not scale?", found, "HPAMetricsUnavailable", []string{"HorizontalPodAutoscaler/web"}},
	{"healthy", "nothing is wrong, whatever the words suggest", available,
		"Why is web broken?", v1alpha1.VerdictNoFaultFound, "", nil},
}

func TestDiagnosis_realFailures(t *testing.T) {
	for _, d := range diagnoses {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			openNamespace(ctx, t, d.name)
			manifests, err := os.ReadFile(filepath.Join("testdata", d.name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := scene.kubectl.Feed(ctx, string(manifests), "apply", "--server-side", "-n", d.name, "-f", "-"); err != nil {
				t.Fatal(err)
			}
			await(ctx, t, d.name, d.shows)
			task, took, err := scene.asker.Ask(ctx, d.name, "question", d.question)
			if err != nil {
				t.Fatal(err)
			}
			if complaint := d.judge(task); complaint != "" {
				t.Errorf("%s: %s\n%s\n%s", d.reason, complaint, local.Headline(task), task.Status.Answer)
			}
			t.Logf("%s after %s", local.Headline(task), took.Round(time.Millisecond))
		})
	}
}

// judge returns what is wrong with the answer, or "".
func (d diagnosis) judge(task *v1alpha1.AgentTask) string {
	if task.Status.Verdict != d.verdict {
		return "the verdict is " + string(task.Status.Verdict) + ", expected " + string(d.verdict)
	}
	roots := slices.DeleteFunc(slices.Clone(task.Status.Findings), func(f v1alpha1.Finding) bool { return f.Role != v1alpha1.RoleRootCause })
	if d.cause == "" {
		if len(roots) > 0 {
			return "it blames " + roots[0].Object.Name + " though nothing is wrong"
		}
		return ""
	}
	if len(roots) == 0 {
		return "it names no root cause"
	}
	object := roots[0].Object.Kind + "/" + roots[0].Object.Name
	if roots[0].Cause != d.cause || !slices.Contains(d.objects, object) {
		return "it blames " + object + " for " + roots[0].Cause + ", expected " + d.cause + " of " + strings.Join(d.objects, " or ")
	}
	if len(roots[0].Evidence) == 0 {
		return "the root cause has no evidence"
	}
	return ""
}

// TestDiagnosis_operatorKilled asks while the operator is killed and started again: every question is answered once.
func TestDiagnosis_operatorKilled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	const name = "killed"
	openNamespace(ctx, t, name)
	answers := make(chan *v1alpha1.AgentTask)
	const asked = 20
	for i := range asked {
		go func() {
			task, _, err := scene.asker.Ask(ctx, name, "question-"+string(rune('a'+i)), "Is anything wrong?")
			if err != nil {
				t.Error(err)
			}
			answers <- task
		}()
	}
	scene.operator.Kill()
	restartOperator(ctx, t)
	for range asked {
		task := <-answers
		if task != nil && task.Status.Verdict != v1alpha1.VerdictNoFaultFound {
			t.Errorf("%s: verdict %s, expected %s: an empty namespace is healthy", task.Name, task.Status.Verdict, v1alpha1.VerdictNoFaultFound)
		}
	}
}
