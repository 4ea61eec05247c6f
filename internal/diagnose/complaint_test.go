package diagnose

import (
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/eclusier/eclusier/internal/cluster"
)

// moved puts a workload, with its pods and its Service, into another namespace.
func (w *world) moved(namespace, name string) {
	put := func(m metav1.Object) {
		if m.GetNamespace() == "app" && (m.GetName() == name || strings.HasPrefix(m.GetName(), name+"-")) {
			m.SetNamespace(namespace)
		}
	}
	for _, o := range w.Deployments {
		put(o)
	}
	for _, o := range w.ReplicaSets {
		put(o)
	}
	for _, o := range w.Services {
		put(o)
	}
	for _, o := range w.Pods {
		put(o)
	}
}

// says adds a workload that is ready and writes a line again and again.
func (w *world) says(name, line string, edit func(*corev1.PodTemplateSpec)) *corev1.Pod {
	_, p := w.deployment(name, edit)
	w.writes(p, name, line)
	return p
}

func (w *world) writes(p *corev1.Pod, container, line string) {
	at := noon.Add(-3 * time.Minute).Format(time.RFC3339)
	line = strings.ReplaceAll(line, "TIME", at)
	w.current(p, container, line+"\n"+line+"\n")
}

func calling(url string) func(*corev1.PodTemplateSpec) {
	return func(t *corev1.PodTemplateSpec) {
		t.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "BACKEND", Value: url}}
	}
}

// asleep adds a Service in namespace data whose workload is scaled to zero.
func (w *world) asleep(name string) {
	d, p := w.deployment(name, nil)
	none := int32(0)
	d.Spec.Replicas = &none
	w.remove(p)
	w.service(name, "10.96.7.7", intstr.FromInt32(8080))
	w.moved("data", name)
}

func TestAComplaintOfAHealthyProgramLeadsToWhatIsBrokenInAnotherNamespace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, line string }{
		{"a warning with a URL", `{"level":"warn","time":"TIME","msg":"recommendations hidden","source":"http://store.data.svc/v1"}`},
		{"a status of a gateway", `{"level":50,"timestamp":"TIME","statusCode":503,"upstream":"http://store.data.svc","msg":"step failed"}`},
		{"a warning in plain words", `TIME WARN shop: falling back to defaults, http://store.data.svc:80/v1 gave nothing`},
		{"an error that names nothing, where only one thing is called", `TIME ERROR shop: saving failed`},
		{"an access log", `192.0.2.1 - - [02/Mar/2026:11:57:00 +0000] "GET / HTTP/1.1" 502 157 "-" "x" upstream=store.data.svc`},
		{"an exception of .NET", `{"@t":"TIME","@mt":"payment refused","@l":"Error","@x":"System.Net.Http.HttpRequestException: Connection refused (store.data.svc:80)"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld("data")
			w.asleep("store")
			w.says("shop", c.line, calling("http://store.data.svc"))
			w.check(t, expected{cause: "ScaledToZero", object: "Deployment/data/store", chain: []CauseID{"CrashDependencyRefused"}})
		})
	}
}

func TestAReadinessThatFailsNeedsWhatTheProgramComplainsOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, service string
		cause         CauseID
		object        string
	}{
		{"which is scaled to zero", "store.data.svc", "ScaledToZero", "Deployment/data/store"},
		{"which is well, so that the probe remains", "other.app.svc", "ReadinessProbeFailing", "Deployment/app/shop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld("data")
			w.asleep("store")
			w.deployment("other", nil)
			w.service("other", "10.96.7.9", intstr.FromInt32(8080))
			p := w.says("shop", `{"level":"warn","time":"TIME","msg":"half a page","upstream":"http://`+c.service+`"}`, func(t *corev1.PodTemplateSpec) {
				t.Spec.Containers[0].ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromInt32(8080)}}}
			})
			idles(p, "shop")
			w.event(podRef(p), true, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503")
			w.check(t, expected{cause: c.cause, object: c.object, evidence: []string{"statuscode: 503"}})
		})
	}
}

func TestAComplaintIsFollowedThroughNamespacesThatShowNothing(t *testing.T) {
	t.Parallel()
	w := newWorld("mid", "data")
	w.asleep("store")
	w.says("front", `{"level":"warn","time":"TIME","msg":"half a page","upstream":"http://middle.mid.svc"}`, nil)
	middle := w.says("middle", `{"level":"error","time":"TIME","msg":"no data","err":"connect ECONNREFUSED 10.96.7.7:80"}`, nil)
	w.service("middle", "10.96.7.8", intstr.FromInt32(8080))
	w.moved("mid", "middle")
	w.Logs[len(w.Logs)-1].Pod = podRef(middle)
	w.check(t, expected{cause: "ScaledToZero", object: "Deployment/data/store", evidence: []string{"half a page", "no data"}})
}

func TestAComplaintAsksForTheNamespaceAndTheLogsBehindIt(t *testing.T) {
	t.Parallel()
	w := newWorld("mid")
	w.Namespaces = append(w.Namespaces, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "data"}})
	w.says("front", `{"level":"warn","time":"TIME","msg":"half a page","upstream":"http://middle.mid.svc"}`, nil)
	_, middle := w.deployment("middle", calling("redis://store.data.svc:6379"))
	w.service("middle", "10.96.7.8", intstr.FromInt32(8080))
	w.moved("mid", "middle")
	r := w.ask(t)
	for _, want := range []cluster.Want{
		{What: cluster.WantLog, Namespace: "mid", Name: middle.Name, Container: "middle"},
		{What: cluster.WantNamespace, Namespace: "data"},
	} {
		if !slices.Contains(r.Wants, want) {
			t.Errorf("does not ask for %+v: %+v", want, r.Wants)
		}
	}
	if len(r.RootCauses) > 0 {
		t.Errorf("claims %s before it has read them", r.RootCauses[0].ID)
	}
}

func TestAComplaintAloneProvesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, line string }{
		{"about a Service that is well", `{"level":"warn","time":"TIME","msg":"slow answer","source":"http://store.app.svc/v1"}`},
		{"about nothing that is known", `{"level":"warn","time":"TIME","msg":"slow answer"}`},
		{"as information", `{"level":"info","time":"TIME","msg":"switched to http://store.app.svc"}`},
		{"about a gateway's answer", `192.0.2.1 - - [02/Mar/2026:11:57:00 +0000] "GET / HTTP/1.1" 502 157 "-" "x" upstream=store.app.svc`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.store()
			w.says("shop", c.line, nil)
			if r := w.ask(t); r.Verdict != NoFaultFound || len(r.RootCauses) > 0 {
				t.Errorf("%s: %+v", r.Verdict, r.RootCauses)
			}
		})
	}
}

func TestAComplaintThatWasOvercomeIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld("data")
	w.asleep("store")
	_, p := w.deployment("shop", nil)
	line := noon.Add(-2*time.Hour).Format(time.RFC3339) + " WARN http://store.data.svc gave nothing\n"
	w.current(p, "shop", line+line)
	if r := w.ask(t); len(r.RootCauses) > 0 {
		t.Errorf("claims %s", r.RootCauses[0].ID)
	}
}

func TestAComplaintThatComesEveryHourIsStillOneAfterHalfAnHour(t *testing.T) {
	t.Parallel()
	w := newWorld("data")
	w.asleep("store")
	_, p := w.deployment("shop", nil)
	text := ""
	for _, ago := range []time.Duration{150 * time.Minute, 90 * time.Minute, 30 * time.Minute} {
		text += noon.Add(-ago).Format(time.RFC3339) + " WARN http://store.data.svc gave nothing\n"
	}
	w.current(p, "shop", text)
	w.check(t, expected{cause: "ScaledToZero", object: "Deployment/data/store"})
}

// mounting lets a workload mount a ConfigMap of namespace app.
func mounting(name string) func(*corev1.PodTemplateSpec) {
	return func(t *corev1.PodTemplateSpec) {
		t.Spec.Volumes = []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: name},
		}}}}
	}
}

func TestAProxyDependsOnWhatItsFileNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file string }{
		{"a URL", "location / {\n  proxy_pass http://store.data.svc;\n}\n"},
		{"a server of an upstream", "upstream a {\n  server store.data.svc.cluster.local:80;\n}\n"},
		{"a server of HAProxy", "backend a\n  server one store.data.svc:80 check\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld("data")
			w.asleep("store")
			w.ConfigMaps = append(w.ConfigMaps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "proxy"}, Data: map[string]string{"proxy.conf": c.file}})
			w.says("proxy", `192.0.2.1 - - [02/Mar/2026:11:57:00 +0000] "GET / HTTP/1.1" 502 157 "-" "x"`, mounting("proxy"))
			w.check(t, expected{cause: "ScaledToZero", object: "Deployment/data/store"})
		})
	}
}

func TestWhatScrapesManyDependsOnNoneOfThem(t *testing.T) {
	t.Parallel()
	w := newWorld()
	file := ""
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		w.service(name+"-metrics", "", intstr.FromInt32(8080))
		file += "- url: http://" + name + "-metrics/metrics\n"
	}
	w.ConfigMaps = append(w.ConfigMaps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "scrape"}, Data: map[string]string{"scrape.yaml": file}})
	d, _ := w.deployment("scraper", mounting("scrape"))
	x := newExam(w.Snapshot, Question{})
	if calls := x.calls(x.workloads[ref("Deployment", "app", d.Name)]); len(calls) > 0 {
		t.Errorf("depends on %v", calls)
	}
}

func TestOldDataLeadToWhatShouldRenewThem(t *testing.T) {
	t.Parallel()
	yes := true
	for _, c := range []struct {
		name, url, log string
	}{
		{"by what it is configured to call", "http://store.app.svc/import", "serving"},
		{"by what the log of the store names", "", `{"level":"info","msg":"serving","writer":"jobs/loader"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld("jobs")
			w.writes(w.store(), "store", c.log)
			w.says("shop", `{"level":"warn","time":"TIME","msg":"list is stale","source":"http://store.app.svc/v1"}`, nil)
			for name, suspended := range map[string]*bool{"loader": &yes, "other": nil} {
				tmpl := template(name)
				calling(c.url)(&tmpl)
				w.CronJobs = append(w.CronJobs, &batchv1.CronJob{
					ObjectMeta: metav1.ObjectMeta{Namespace: "jobs", Name: name},
					Spec:       batchv1.CronJobSpec{Schedule: "0 3 * * *", Suspend: suspended, JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: tmpl}}},
				})
			}
			w.check(t, expected{cause: "CronJobSuspended", object: "CronJob/jobs/loader", evidence: []string{"list is stale", "suspend: true"}})
		})
	}
}

func TestAPolicyExplainsAComplaintWhateverItsWords(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.store()
	w.says("shop", `{"level":"warn","time":"TIME","msg":"half a page","upstream":"http://store.app.svc"}`, nil)
	other := selecting("other")
	w.policy("fence", networkingv1.NetworkPolicySpec{
		PodSelector: selecting("store"), Ingress: []networkingv1.NetworkPolicyIngressRule{{From: []networkingv1.NetworkPolicyPeer{{PodSelector: &other}}}},
	})
	w.check(t, expected{cause: "NetworkPolicyBlocks", object: "NetworkPolicy/app/fence", evidence: []string{"half a page"}})
}
