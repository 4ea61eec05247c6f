package e2e

import "time"

// diagnosis is one failing workload: testdata/<name>.yaml, applied to the namespace <name>.
type diagnosis struct {
	name   string
	reason string
	// then is what is done with kubectl once everything is available, before the fault shows.
	then  string
	shows sign
	// lasts is how long it has to show before it is more than a start that takes its time.
	lasts    time.Duration
	question string
	// cause and objects (Kind/name, equally good) are those of the first root cause; empty where nothing is wrong.
	cause   string
	objects []string
}

// startGrace is a little more than what the engine gives a start before it counts as failing.
const startGrace = 80 * time.Second

// diagnoses holds at least one failure of every family that the engine knows.
var diagnoses = []diagnosis{
	{
		name: "image-tag", reason: "images: the tag does not exist",
		shows: waiting("ImagePullBackOff"), question: "Why does web not start?",
		cause: "ImageNotFound", objects: []string{"Deployment/web"},
	},
	{
		name: "image-secret", reason: "images: the registry wants credentials",
		shows: waiting("ImagePullBackOff"), question: "Pourquoi le déploiement web ne démarre-t-il pas ?",
		cause: "ImagePullUnauthorized", objects: []string{"Deployment/web"},
	},
	{
		name: "oom", reason: "memory: the limit is below what the process needs",
		shows: waiting("CrashLoopBackOff"), question: "why does cart keep restarting?",
		cause: "OOMKilled", objects: []string{"Deployment/cart"},
	},
	{
		name: "missing-env", reason: "crashes: the process says which variable it lacks",
		shows: waiting("CrashLoopBackOff"), question: "mailer crashes, why?",
		cause: "CrashMissingEnv", objects: []string{"Deployment/mailer"},
	},
	{
		name: "bad-command", reason: "crashes: the command is not in the image",
		shows: waiting("CrashLoopBackOff"), question: "Why is worker not running?",
		cause: "CrashBadCommand", objects: []string{"Deployment/worker"},
	},
	{
		name: "dependency", reason: "crashes: what it needs refuses connections, and that is the root",
		shows: waiting("CrashLoopBackOff"), question: "Why does api crash?",
		cause: "ScaledToZero", objects: []string{"StatefulSet/db"},
	},
	{
		name: "readiness", reason: "probes: the path of the readiness probe is wrong",
		shows: event("Unhealthy"), lasts: startGrace, question: "Why is web not ready?",
		cause: "ReadinessProbeFailing", objects: []string{"Deployment/web"},
	},
	{
		name: "liveness", reason: "probes: the liveness probe kills a slow start, which runs again at the moment",
		shows: both(runningAgain, event("Killing")), question: "pourquoi payments redémarre-t-il sans arrêt ?",
		cause: "LivenessProbeTooAggressive", objects: []string{"Deployment/payments"},
	},
	{
		name: "memory", reason: "scheduling: no node has the memory",
		shows: event("FailedScheduling"), lasts: startGrace / 2, question: "Why is search pending?",
		cause: "UnschedulableInsufficientMemory", objects: []string{"Deployment/search"},
	},
	{
		name: "node-selector", reason: "scheduling: no node has the label",
		shows: event("FailedScheduling"), lasts: startGrace / 2, question: "Why is gpu-job pending?",
		cause: "UnschedulableAffinity", objects: []string{"Deployment/gpu-job"},
	},
	{
		name: "volume-class", reason: "storage: the claim's class does not exist",
		shows: event("ProvisioningFailed"), lasts: startGrace / 2, question: "Why does the statefulset db not start?",
		cause: "PVCPendingNoStorageClass", objects: []string{"PersistentVolumeClaim/data-db-0", "StatefulSet/db"},
	},
	{
		name: "config-map", reason: "configuration: the ConfigMap does not exist",
		shows: waiting("CreateContainerConfigError"), question: "Why is cart stuck?",
		cause: "MissingConfigMap", objects: []string{"ConfigMap/cart-config", "Deployment/cart"},
	},
	{
		name: "secret-key", reason: "configuration: the Secret lacks the key",
		shows: waiting("CreateContainerConfigError"), question: "Qu'est-ce qui bloque ledger ?",
		cause: "MissingSecretKey", objects: []string{"Secret/ledger-db", "Deployment/ledger"},
	},
	{
		name: "service-account", reason: "accounts: the ServiceAccount does not exist",
		shows: event("FailedCreate"), question: "Why has deployment billing no pods?",
		cause: "ServiceAccountMissing", objects: []string{"ServiceAccount/billing", "Deployment/billing"},
	},
	{
		name: "quota", reason: "admission: the quota is full",
		shows: event("FailedCreate"), question: "Why does web have too few replicas?",
		cause: "QuotaExceeded", objects: []string{"ResourceQuota/team", "Deployment/web"},
	},
	{
		name: "pod-security", reason: "admission: Pod Security refuses the pods",
		shows: event("FailedCreate"), question: "Why has agent no pods?",
		cause: "PodSecurityRejected", objects: []string{"DaemonSet/agent"},
	},
	{
		name: "init", reason: "init containers: the migration fails",
		shows: waiting("CrashLoopBackOff"), question: "Why does orders not start?",
		cause: "InitContainerFailing", objects: []string{"Deployment/orders"},
	},
	{
		name: "job", reason: "jobs: the retries are used up",
		shows: event("BackoffLimitExceeded"), question: "Why did the job import fail?",
		cause: "JobBackoffLimit", objects: []string{"Job/import"},
	},
	{
		name: "selector", reason: "services: the Service selects other pods",
		shows: available, question: "Nobody can reach the service catalog, why?",
		cause: "SelectorMismatch", objects: []string{"Service/catalog"},
	},
	{
		name: "autoscaler", reason: "autoscaling: there are no metrics",
		shows: blind, question: "Why does the hpa web not scale?",
		cause: "HPAMetricsUnavailable", objects: []string{"HorizontalPodAutoscaler/web"},
	},
	{
		name: "rollout", reason: "rollouts: the new revision crashes, the former one worked",
		then:  "apply --server-side -f testdata/rollout-then.yaml",
		shows: waiting("CrashLoopBackOff"), question: "The rollout of checkout does not finish, why?",
		cause: "BadRolloutNewVersionCrash", objects: []string{"Deployment/checkout"},
	},
	{
		name: "architecture", reason: "images: not built for the nodes",
		shows: waiting("ImagePullBackOff"), question: "vat does not start, what is wrong?",
		cause: "ImageArchMismatch", objects: []string{"Deployment/vat"},
	},
	{
		name: "sidecar", reason: "probes: a sidecar holds the pod back",
		shows: event("Unhealthy"), lasts: startGrace, question: "Pourquoi pay n'est-il pas prêt ?",
		cause: "SidecarNotReady", objects: []string{"Deployment/pay"},
	},
	{
		name: "limit-range", reason: "admission: outside the bounds of the LimitRange",
		shows: event("FailedCreate"), question: "trainer has no pods at all, why?",
		cause: "LimitRangeViolation", objects: []string{"Deployment/trainer", "LimitRange/bounds"},
	},
	{
		name: "webhook", reason: "admission: a webhook that cannot be reached",
		shows: event("FailedCreate"), question: "Why does deployment points get no pods?",
		cause: "AdmissionWebhookUnavailable", objects: []string{"ValidatingWebhookConfiguration/e2e-left-behind", "Service/left-behind"},
	},
	{
		name: "cron-suspended", reason: "jobs: the CronJob is suspended",
		shows: applied, question: "Why does the cronjob report not run?",
		cause: "CronJobSuspended", objects: []string{"CronJob/report"},
	},
	{
		name: "ingress", reason: "networking: the Ingress names a Service that does not exist",
		shows: available, question: "museum.example renvoie 503, que se passe-t-il avec l'ingress site ?",
		cause: "IngressBackendMissing", objects: []string{"Ingress/site", "Service/ticket-office"},
	},
	{
		name: "network-policy", reason: "networking: a policy keeps everyone from the database",
		shows: waiting("CrashLoopBackOff"), question: "Why does api crash?",
		cause: "NetworkPolicyBlocks", objects: []string{"NetworkPolicy/db-closed"},
	},
	{
		name: "node-not-ready", reason: "nodes: the node of the pods is not ready",
		then:  "annotate node node-not-ready devcluster.eclusier.io/play=NotReady",
		shows: event("TaintManagerEviction"), lasts: startGrace / 2, question: "Why is ranker not available?",
		cause: "NodeNotReady", objects: []string{"Node/node-not-ready"},
	},
	{
		name: "drain", reason: "disruption budgets: the budget keeps a node from being drained",
		then:  "cordon drained-1",
		shows: applied, question: "Why does the drain of node drained-1 not finish?",
		cause: "PDBBlocksEviction", objects: []string{"PodDisruptionBudget/broker"},
	},
	{
		name: "finalizer", reason: "finalizers: nobody removes it",
		then:  "delete service sip --wait=false",
		shows: applied, question: "Why does the service sip not go away?",
		cause: "TerminatingFinalizer", objects: []string{"Service/sip"},
	},
	{
		name: "rbac", reason: "access: the account lacks a right",
		shows: waiting("CrashLoopBackOff"), question: "Why does watcher crash?",
		cause: "RBACForbidden", objects: []string{"ServiceAccount/watcher", "Deployment/watcher"},
	},
	{
		name: "certificate", reason: "certificates: the other side's has expired",
		shows: waiting("CrashLoopBackOff"), question: "settler plante en boucle, pourquoi ?",
		cause: "TLSCertExpired", objects: []string{"Deployment/settler"},
	},
	{
		name: "disk", reason: "inside containers: the volume is full",
		shows: waiting("CrashLoopBackOff"), question: "Why does archive crash?",
		cause: "DiskFullInContainer", objects: []string{"Deployment/archive"},
	},
	{
		name: "descriptors", reason: "inside containers: no file descriptors are left",
		shows: waiting("CrashLoopBackOff"), question: "receiver accepts no connections any more, why?",
		cause: "TooManyOpenFiles", objects: []string{"Deployment/receiver"},
	},
	{
		name: "healthy", reason: "nothing is wrong, whatever the words suggest",
		shows: available, question: "Why is web broken?",
	},
}
