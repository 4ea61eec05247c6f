package diagnose

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// moduleTexts are the sentences that belong to no single cause.
var moduleTexts = []texts{answerTexts, factTexts, premiseTexts}

var answerTexts = texts{
	english: map[string]string{
		"summary.widened":     "%[1]s shows no fault of its own; near it: %[2]s",
		"summary.many":        "%[1]s (and %[2]s more root causes)",
		"summary.healthy":     "No fault found: %[1]s.",
		"summary.unclear":     "The evidence does not allow naming a cause: %[1]s.",
		"observe.ready":       "%[1]s: %[2]s of %[3]s pods are ready",
		"observe.rollout":     "%[1]s is being rolled out since %[2]s and is within its deadline",
		"observe.restarts":    "container %[1]s has restarted %[2]s times; it runs since %[3]s without another restart",
		"observe.symptom":     "%[1]s: %[2]s",
		"observe.nothing":     "nothing that was looked at shows a fault",
		"observe.seen":        "%[1]s shows no fault",
		"symptom.waiting":     "container %[1]s cannot be started (%[2]s)",
		"symptom.crashing":    "container %[1]s ends again and again",
		"symptom.unready":     "it runs and is not ready",
		"symptom.unscheduled": "no node was found for it",
		"symptom.notStarted":  "its containers are not started",
		"symptom.notCreated":  "its pods cannot be created",
		"symptom.evicted":     "its pod was evicted",
		"symptom.undeleted":   "its pod should be gone and is still there",
		"symptom.jobFailed":   "the job failed",
		"symptom.stalled":     "its rollout makes no progress",
		"symptom.restarted":   "container %[1]s restarted within the last day and runs well since",
		"miss.previousLog":    "the log of the former instance of container %[1]s",
		"miss.events":         "the events of that time",
		"miss.eventsWhy":      "events are kept for an hour; they would say whether a probe, an eviction or the node ended it",
		"miss.metrics":        "the memory and CPU figures of pod and node around that time",
		"miss.metricsWhy":     "exit code %[1]s means that the process was killed; only figures tell whether memory ran out",
		"miss.kernel":         "the kernel log of node %[1]s",
		"miss.kernelWhy":      "it would show whether the kernel killed the process or a child of it for lack of memory",
		"miss.audit":          "the audit log of the API server, or who logged in on the node",
		"miss.auditWhy":       "it would show whether somebody or something killed the process from outside",
		"miss.behind":         "what %[1]s says of the requests that fail, and the settings by which it is called",
		"miss.behindWhy":      "%[1]s goes on reporting errors of it, and nothing that was seen explains them",
		"miss.log":            "the log of container %[1]s",
		"miss.output":         "what the process of container %[1]s says when it ends",
		"miss.outputWhy":      "neither its log nor a termination message says why it ended with exit code %[1]s; a more talkative log level or a termination message would",
		"miss.logWhy":         "%[1]s, and nothing that was read says why",
		"miss.gap":            "%[1]s",
		"miss.gapForbidden":   "the account that reads may not: %[1]s",
		"miss.gapOther":       "it could not be read: %[1]s",
		"miss.target":         "%[1]s",
		"miss.targetWhy":      "it was asked about and does not exist or could not be read",
	},
	french: map[string]string{
		"summary.widened":     "%[1]s ne montre pas de panne propre ; à proximité : %[2]s",
		"summary.many":        "%[1]s (et %[2]s autres causes racines)",
		"summary.healthy":     "Aucune panne trouvée : %[1]s.",
		"summary.unclear":     "Les indices ne permettent pas de nommer une cause : %[1]s.",
		"observe.ready":       "%[1]s : %[2]s pods prêts sur %[3]s",
		"observe.rollout":     "le déploiement de %[1]s est en cours depuis %[2]s et dans son délai",
		"observe.restarts":    "le conteneur %[1]s a redémarré %[2]s fois ; il tourne depuis %[3]s sans nouveau redémarrage",
		"observe.symptom":     "%[1]s : %[2]s",
		"observe.nothing":     "rien de ce qui a été examiné ne montre de panne",
		"observe.seen":        "%[1]s ne montre aucune panne",
		"symptom.waiting":     "le conteneur %[1]s ne peut pas démarrer (%[2]s)",
		"symptom.crashing":    "le conteneur %[1]s s'arrête sans cesse",
		"symptom.unready":     "il tourne sans être prêt",
		"symptom.unscheduled": "aucun nœud n'a été trouvé pour lui",
		"symptom.notStarted":  "ses conteneurs ne sont pas démarrés",
		"symptom.notCreated":  "ses pods ne peuvent pas être créés",
		"symptom.evicted":     "son pod a été évincé",
		"symptom.undeleted":   "son pod devrait avoir disparu et est encore là",
		"symptom.jobFailed":   "le job a échoué",
		"symptom.stalled":     "son déploiement n'avance plus",
		"symptom.restarted":   "le conteneur %[1]s a redémarré dans les dernières 24 heures et tourne bien depuis",
		"miss.previousLog":    "le journal de l'instance précédente du conteneur %[1]s",
		"miss.events":         "les événements de ce moment-là",
		"miss.eventsWhy":      "les événements sont gardés une heure ; ils diraient si une sonde, une éviction ou le nœud l'a arrêté",
		"miss.metrics":        "les mesures de mémoire et de CPU du pod et du nœud à ce moment-là",
		"miss.metricsWhy":     "le code de sortie %[1]s signifie que le processus a été tué ; seules les mesures disent si la mémoire a manqué",
		"miss.kernel":         "le journal du noyau du nœud %[1]s",
		"miss.kernelWhy":      "il montrerait si le noyau a tué le processus ou l'un de ses enfants faute de mémoire",
		"miss.audit":          "le journal d'audit du serveur d'API, ou qui s'est connecté au nœud",
		"miss.auditWhy":       "il montrerait si quelqu'un ou quelque chose a tué le processus de l'extérieur",
		"miss.behind":         "ce que %[1]s dit des requêtes qui échouent, et les réglages par lesquels on l'appelle",
		"miss.behindWhy":      "%[1]s continue d'en signaler des erreurs, et rien de ce qui a été vu ne les explique",
		"miss.log":            "le journal du conteneur %[1]s",
		"miss.output":         "ce que dit le processus du conteneur %[1]s quand il s'arrête",
		"miss.outputWhy":      "ni son journal ni un message de fin ne dit pourquoi il s'est arrêté avec le code %[1]s ; un niveau de journal plus bavard ou un message de fin le dirait",
		"miss.logWhy":         "%[1]s, et rien de ce qui a été lu ne dit pourquoi",
		"miss.gap":            "%[1]s",
		"miss.gapForbidden":   "le compte qui lit n'en a pas le droit : %[1]s",
		"miss.gapOther":       "la lecture a échoué : %[1]s",
		"miss.target":         "%[1]s",
		"miss.targetWhy":      "la question porte dessus et il n'existe pas ou n'a pas pu être lu",
	},
}

// looked says how many objects of which kind were seen.
func (x *exam) looked() []string {
	var out []string
	for kind, list := range x.byKind {
		out = append(out, fmt.Sprintf("%s: %d", kind, len(list)))
	}
	if n := len(x.snap.Events); n > 0 {
		out = append(out, fmt.Sprintf("Event: %d", n))
	}
	if n := len(x.snap.Logs); n > 0 {
		out = append(out, fmt.Sprintf("Log: %d", n))
	}
	slices.Sort(out)
	return out
}

func (x *exam) summary(r *Report) string {
	switch {
	case x.widened:
		return x.say("summary.widened", x.seeds.refs[0].String(), r.RootCauses[0].Message)
	case len(r.RootCauses) == 1:
		return r.RootCauses[0].Message
	case len(r.RootCauses) > 1:
		return x.say("summary.many", r.RootCauses[0].Message, strconv.Itoa(len(r.RootCauses)-1))
	}
	what := x.say("observe.nothing")
	if len(r.Chain) > 0 {
		what = r.Chain[0].Message
	}
	if r.Verdict == NoFaultFound {
		return x.say("summary.healthy", what)
	}
	if len(r.Chain) == 0 && len(r.Missing) > 0 {
		what = r.Missing[0].What + " (" + r.Missing[0].Why + ")"
	}
	return x.say("summary.unclear", what)
}

// describe words a symptom.
func (x *exam) describe(s *symptom) string {
	return x.say("symptom."+string(s.kind), s.container, s.reason)
}

// observations are what was seen of the workloads that were asked about and that no root cause explains.
func (x *exam) observations(open []*symptom, v Verdict) []Finding {
	var out []Finding
	told := map[cluster.Ref]bool{}
	for _, s := range open {
		f := Finding{
			ID: "Inconclusive:" + s.work.ref.Path() + ":" + string(s.kind), Cause: CauseID(Inconclusive), Object: s.work.ref, Severity: Low,
			Message: x.say("observe.symptom", s.work.ref.String(), x.describe(s)), Evidence: x.symptomEvidence(s), Impact: 1,
		}
		out = append(out, f)
		told[s.work.ref] = true
	}
	for _, w := range x.askedWorkloads() {
		if !told[w.ref] {
			out = append(out, x.observation(w, v))
		}
	}
	return out
}

// symptomEvidence cites what a symptom is seen by.
func (x *exam) symptomEvidence(s *symptom) []Evidence {
	var out []Evidence
	if s.container != "" && s.pod() != nil {
		if c := s.status(); c != nil && c.State.Waiting != nil {
			out = append(out, x.statusField(s, "state.waiting.reason", c.State.Waiting.Reason))
		}
		out = append(out, x.ending(s)...)
	}
	if e := x.lastEvent(append(podRefs(s.pods), s.work.ref)); e != nil && e.Warning {
		out = append(out, event(e))
	}
	if message, _ := x.createFailure(s.work); message != "" {
		out = append(out, field(s.work.ref, "status.conditions[ReplicaFailure].message", message))
	}
	return distinct(out)
}

// askedWorkloads are the workloads that the question names, at most 10.
func (x *exam) askedWorkloads() []*workload {
	const most = 10
	var out []*workload
	for _, r := range x.seeds.refs {
		w := x.workloads[r]
		if w == nil {
			w = x.podWorkload[r]
		}
		if w != nil && !slices.Contains(out, w) && len(out) < most {
			out = append(out, w)
		}
	}
	return out
}

// observation says what a healthy workload looks like.
func (x *exam) observation(w *workload, v Verdict) Finding {
	f := Finding{ID: string(v) + ":" + w.ref.Path(), Cause: CauseID(v), Object: w.ref, Severity: Low, Impact: 1}
	f.Message = x.say("observe.ready", w.ref.String(), strconv.Itoa(w.readyPods()), strconv.Itoa(int(w.desired)))
	for _, p := range w.pods {
		for _, c := range p.Status.ContainerStatuses {
			if c.RestartCount == 0 || c.State.Running == nil {
				continue
			}
			s := &symptom{work: w, container: c.Name}
			s.pods = append(s.pods, p)
			f.Message += "; " + x.say("observe.restarts", c.Name, strconv.Itoa(int(c.RestartCount)), c.State.Running.StartedAt.UTC().Format(time.RFC3339))
			f.Evidence = append(f.Evidence, x.ending(s)...)
		}
	}
	if d, ok := w.meta.(*appsv1.Deployment); ok {
		for _, c := range d.Status.Conditions {
			if c.Type != appsv1.DeploymentProgressing {
				continue
			}
			f.Evidence = append(f.Evidence, field(w.ref, "status.conditions[Progressing].reason", c.Reason), field(w.ref, "status.conditions[Progressing].message", c.Message))
			if c.Reason == "ReplicaSetUpdated" {
				f.Message += "; " + x.say("observe.rollout", w.ref.String(), c.LastUpdateTime.UTC().Format(time.RFC3339))
			}
		}
	}
	f.Evidence = append(f.Evidence, field(w.ref, "status.readyReplicas", w.readyPods()))
	f.Evidence = distinct(f.Evidence)
	return f
}
