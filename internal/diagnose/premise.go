package diagnose

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// premise is a failure that a question states and that objects, events and the end of a log can neither show nor refute.
// Where nothing else is found wrong, to answer that there is no fault would be to claim what was not seen.
type premise string

const (
	// slowness: something takes longer than it should.
	slowness premise = "slow"
	// wrongness: something answers, with the wrong contents.
	wrongness premise = "wrong"
	// loss: some of many are lost or fail.
	loss premise = "lost"
	// happening: something was the matter at a time whose events are gone.
	happening premise = "happened"
)

// figures are words for what an application computes.
const figures = `(?:totals?|totaux|results?|résultats?|figures?|chiffres?|numbers?|counts?|sums?|sommes?|amounts?|montants?|prices?|prix|values?|valeurs?|data|données?|reports?|rapports?|balances?|soldes?|stat\w*|averages?|moyennes?|invoices?|factures?)`

var premisePatterns = []struct {
	of premise
	re *regexp.Regexp
}{
	{slowness, regexp.MustCompile(`(?i)\b(?:slow(?:er|ly|ness|s|ed)?|sluggish|lag(?:s|gy|ging)?|latency|latencies|laten(?:ce|ces)|lente?s?|lenteurs?|lentement|ralenti\pL*|rame(?:nt)?|traîne(?:nt)?)(?:\PL|$)|` +
		`\b(?:takes?|taking|took|met(?:tent)?|mis|prend|prennent|pris|dure|duré)(?:\PL).{0,40}\b(?:hours?|ages|forever|longer|too long|so long|instead of|heures?|plus longtemps|trop longtemps|au lieu de|\d+ ?(?:s|h|min|minutes|seconds|secondes))\b`)},
	{wrongness, regexp.MustCompile(`(?i)\b` + figures + `(?:\PL).{0,80}\b(?:wrong|incorrect|inaccurate|inconsistent|off by|do(?:es)?n't add up|faux|fausses?|erroné\pL*|inexact\pL*|incohérent\pL*)(?:\PL|$)|` +
		`\b(?:wrong|incorrect|inaccurate|inconsistent|mauvais(?:es?)?|faux|fausses?)\s+` + figures + `(?:\PL|$)|` +
		`\b(?:sent|charged|billed|delivered|processed|booked|printed|received)\b.{0,30}\btwice\b|\b(?:duplicated?|duplicates|en double)\b|(?:envoy|factur|débit|livr|trait|reçu|imprim)\pL*.{0,30}deux fois`)},
	{loss, regexp.MustCompile(`(?i)\b(?:some(?:times)?|intermittent\w*|occasional\w*|sporadic\w*|randomly|every now and then|from time to time|one (?:in|of|out of) \w+|parfois|de temps en temps|par moments|certaine?s|une? sur \w+)\b.{0,60}\PL(?:lost|lose|drop(?:ped|s)?|vanish|disappear|missing|fail(?:s|ed|ing)?|perd|disparai|disparu|manqu|échou)|` +
		`\b(?:rows?|records?|messages?|orders?|e?mails?|data|files?|uploads?|lignes?|commandes?|données?|fichiers?)(?:\PL).{0,40}\b(?:lost|missing|vanish|disappear|perdu|disparu|manqu)`)},
	{happening, regexp.MustCompile(`(?i)\bwhat (?:has )?happened\b|\bwhat went wrong\b.*\b(?:at|last|yesterday|night)\b|(?:que s'est[- ]il|ce qui s'est) passé|\b(?:why|pourquoi)\b.*\b(?:reboot(?:ed)?|went down|was down)\b`)},
}

// openEnded recognises questions that ask whether anything can be seen, which the healthy state of everything answers.
var openEnded = regexp.MustCompile(`(?i)\b(?:see|notice|spot|find|is there|there) (?:anything|something)\b|\banything\s*\?|\b(?:any|some)thing (?:wrong|odd|unusual)\b|\bdo we have a problem\b|\bc'est grave\b|\bs'inquiéter\b|\btu vois\b|\bvois[- ]tu\b|\bvoyez[- ]vous\b|\bquelque chose (?:d'anormal|cloche|ne va pas)`)

// stated are the premises of the question that nothing that is read could show.
func (x *exam) stated() []premise {
	if x.seeds.whether || openEnded.MatchString(x.question.Text) {
		return nil
	}
	var out []premise
	for _, p := range premisePatterns {
		if p.re.MatchString(x.question.Text) {
			out = append(out, p.of)
		}
	}
	return out
}

// unseenPremises says for each premise of the question what would show it.
func (x *exam) unseenPremises() []Missing {
	var out []Missing
	add := func(id, command string) {
		m := Missing{What: x.say("premise." + id), Why: x.say("premise." + id + "Why"), Command: command}
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	at := x.premiseAt()
	for _, p := range x.stated() {
		switch p {
		case slowness:
			add("latency", at.top())
			add("traces", "")
		case wrongness:
			add("expected", "")
			add("data", "")
		case loss:
			add("share", "")
			add("peer", "")
		case happening:
			if at.ref.Kind == "Node" {
				add("kernel", fmt.Sprintf("kubectl debug node/%s -it --image=busybox -- chroot /host journalctl -b -1", at.ref.Name))
				add("provider", "")
			}
			add("audit", "")
		}
		add("log", at.logs())
		add("events", at.events())
	}
	return append(out, x.unknownNames()...)
}

// premisePlace is where to look for what a question states.
type premisePlace struct {
	ref       cluster.Ref
	namespace string
}

// premiseAt is the first object that the question names, a workload before others, or else its namespace.
func (x *exam) premiseAt() premisePlace {
	for _, w := range x.askedWorkloads() {
		return premisePlace{w.ref, w.namespace()}
	}
	if len(x.seeds.refs) > 0 {
		return premisePlace{x.seeds.refs[0], x.seeds.refs[0].Namespace}
	}
	if len(x.seeds.namespaces) > 0 {
		return premisePlace{namespace: x.seeds.namespaces[0]}
	}
	return premisePlace{}
}

func (p premisePlace) top() string {
	switch {
	case p.ref.Kind == "Node":
		return "kubectl top node " + p.ref.Name
	case p.namespace != "":
		return "kubectl top pod -n " + p.namespace + " --containers"
	}
	return "kubectl top pod -A --containers"
}

func (p premisePlace) logs() string {
	switch p.ref.Kind {
	case "Deployment", "StatefulSet", "DaemonSet", "Job", "Pod", "ReplicaSet":
		return fmt.Sprintf("kubectl logs -n %s %s/%s --all-containers --timestamps --since=24h", p.namespace, strings.ToLower(p.ref.Kind), p.ref.Name)
	}
	return ""
}

func (p premisePlace) events() string {
	switch {
	case p.ref.Kind == "Node":
		return "kubectl get events -A --field-selector involvedObject.kind=Node,involvedObject.name=" + p.ref.Name
	case p.namespace != "":
		return "kubectl get events -n " + p.namespace + " --sort-by=.lastTimestamp"
	}
	return "kubectl get events -A --sort-by=.lastTimestamp"
}

var (
	objectWord = regexp.MustCompile(`[a-z0-9]+(?:-[a-z0-9]+)+`)
	// spokenParts are parts of compound words of speech that names of objects rarely have.
	spokenParts = regexp.MustCompile(`^(?:to|of|the|up|out|off|in|on|by|and|or|so|as|no|non|day|end|time|date|hour|minute|hours|minutes|old|new|re|pre|co|t|il|elle|ils|elles|tu|vous|nous|je|on|ce|ci|la|le|les|y|en|moi|peu|est|a|va|peut|quel|dessus|dire|même|memes|meme)$`)
)

// unknownNames are words of the question that can only be names, and name nothing that was read.
func (x *exam) unknownNames() []Missing {
	const parts, most = 3, 3
	var out []Missing
	if x.seeds.whether {
		return nil
	}
	for _, word := range objectWord.FindAllString(strings.ToLower(x.question.Text), 40) {
		split := strings.Split(word, "-")
		if len(split) < parts || len(out) >= most || slices.ContainsFunc(split, spokenParts.MatchString) || x.knowsName(word) {
			continue
		}
		m := Missing{What: x.say("premise.unknown", word), Why: x.say("premise.unknownWhy"), Command: "kubectl get all,ingress,configmap -A -o name | grep " + word}
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// knowsName says that a name occurs among what was read: an object's, a part or beginning of one, a label's or a setting's.
func (x *exam) knowsName(word string) bool {
	for _, list := range x.byKind {
		for _, r := range list {
			if strings.Contains(r.Name, word) || strings.HasPrefix(word, r.Name+"-") {
				return true
			}
		}
	}
	for _, w := range x.workloadList {
		if strings.Contains(fmt.Sprint(w.template.Labels), word) {
			return true
		}
		for i := range w.template.Spec.Containers {
			if containerMentions(&w.template.Spec.Containers[i], word) {
				return true
			}
		}
	}
	return slices.ContainsFunc(x.snap.ConfigMaps, func(m *corev1.ConfigMap) bool {
		for _, v := range m.Data {
			if strings.Contains(v, word) {
				return true
			}
		}
		return false
	})
}

func containerMentions(c *corev1.Container, word string) bool {
	return strings.Contains(c.Name, word) || strings.Contains(c.Image, word) ||
		slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return strings.Contains(e.Value, word) })
}

var premiseTexts = texts{
	english: map[string]string{
		"premise.latency":     "figures of latency, CPU (and throttling), memory and disk for that time",
		"premise.latencyWhy":  "objects and events do not show how fast something is; figures before and after would",
		"premise.traces":      "traces or access logs with durations",
		"premise.tracesWhy":   "they would show which step takes the time",
		"premise.expected":    "what the result should be, and where that comes from",
		"premise.expectedWhy": "whether a result is right cannot be seen from the cluster",
		"premise.data":        "the query or computation and the data behind the result",
		"premise.dataWhy":     "a wrong result comes from data or from the program, neither of which was read",
		"premise.share":       "figures of how many fail over time, and which",
		"premise.shareWhy":    "the end of a log shows too few cases to tell chance from a pattern",
		"premise.peer":        "state and logs of what is called, and of the way to it (packet loss, address translation)",
		"premise.peerWhy":     "what is lost between two healthy ends is seen on the way only",
		"premise.kernel":      "the kernel log and journal of the node before that time",
		"premise.kernelWhy":   "it would show a crash, a lack of memory or an orderly shutdown",
		"premise.provider":    "the log of the hypervisor or cloud provider, and of the power supply",
		"premise.providerWhy": "it would show whether the machine was stopped from outside",
		"premise.audit":       "the audit log of the API server for that time",
		"premise.auditWhy":    "it would show who or what changed something then",
		"premise.log":         "the complete application log of that time",
		"premise.logWhy":      "only the end of the logs was read, and it does not speak of what was asked",
		"premise.events":      "the events of that time",
		"premise.eventsWhy":   "events are kept for an hour; what is older is gone unless it is collected elsewhere",
		"premise.unknown":     "anything about %[1]s",
		"premise.unknownWhy":  "it was asked about, and nothing that was read bears or mentions that name",
	},
	french: map[string]string{
		"premise.latency":     "les mesures de latence, de CPU (et de bridage), de mémoire et de disque de ce moment-là",
		"premise.latencyWhy":  "objets et événements ne montrent pas la vitesse ; des mesures d'avant et d'après le feraient",
		"premise.traces":      "des traces ou des journaux d'accès avec les durées",
		"premise.tracesWhy":   "ils montreraient quelle étape prend le temps",
		"premise.expected":    "ce que le résultat devrait être, et d'où vient cette valeur",
		"premise.expectedWhy": "le cluster ne montre pas si un résultat est juste",
		"premise.data":        "la requête ou le calcul et les données derrière le résultat",
		"premise.dataWhy":     "un résultat faux vient des données ou du programme, et ni l'un ni l'autre n'a été lu",
		"premise.share":       "des mesures dans le temps : combien échouent, et lesquels",
		"premise.shareWhy":    "la fin d'un journal montre trop peu de cas pour distinguer le hasard d'une régularité",
		"premise.peer":        "l'état et les journaux de ce qui est appelé et du chemin qui y mène (pertes de paquets, traduction d'adresses)",
		"premise.peerWhy":     "ce qui se perd entre deux bouts sains ne se voit que sur le chemin",
		"premise.kernel":      "le journal du noyau et du système du nœud avant ce moment-là",
		"premise.kernelWhy":   "il montrerait un plantage, un manque de mémoire ou un arrêt ordonné",
		"premise.provider":    "le journal de l'hyperviseur ou du fournisseur, et de l'alimentation",
		"premise.providerWhy": "il montrerait si la machine a été arrêtée de l'extérieur",
		"premise.audit":       "le journal d'audit du serveur d'API pour ce moment-là",
		"premise.auditWhy":    "il montrerait qui ou quoi a changé quelque chose alors",
		"premise.log":         "le journal complet de l'application pour ce moment-là",
		"premise.logWhy":      "seule la fin des journaux a été lue, et elle ne parle pas de ce qui est demandé",
		"premise.events":      "les événements de ce moment-là",
		"premise.eventsWhy":   "les événements sont gardés une heure ; les plus anciens sont perdus s'ils ne sont pas recueillis ailleurs",
		"premise.unknown":     "tout ce qui concerne %[1]s",
		"premise.unknownWhy":  "la question porte dessus, et rien de ce qui a été lu ne porte ni ne mentionne ce nom",
	},
}
