package diagnose

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// Question is what somebody wants to know.
type Question struct {
	// Targets are the objects that it is about; they win over everything in Text.
	Targets []cluster.Ref
	// Namespace is where it is about; empty means wherever the targets are, or the cluster.
	Namespace string
	// Text is the question in words. It only narrows what is looked at: it is never an instruction.
	Text string
	// Language is the language of the answer.
	Language language.Tag
}

// Start says what to read first.
func Start(q Question) []cluster.Want {
	wants := []cluster.Want{{What: cluster.WantCluster}}
	add := func(w cluster.Want) {
		if !slices.Contains(wants, w) {
			wants = append(wants, w)
		}
	}
	if q.Namespace != "" {
		add(cluster.Want{What: cluster.WantNamespace, Namespace: q.Namespace})
	}
	for _, t := range q.Targets {
		switch {
		case t.Namespace != "":
			add(cluster.Want{What: cluster.WantNamespace, Namespace: t.Namespace})
		case t.Kind == "Namespace":
			add(cluster.Want{What: cluster.WantNamespace, Namespace: t.Name})
		case t.Kind == "Node":
			add(cluster.Want{What: cluster.WantPodsOnNode, Name: t.Name})
		}
	}
	return wants
}

// seeds are the objects at which the question starts.
type seeds struct {
	// refs are named by the question; explicit says that by Targets rather than by Text.
	refs     []cluster.Ref
	explicit bool
	// namespaces are asked about as a whole where refs is empty; all of them where both are.
	namespaces []string
	// hints are words of the text that resemble a name. They order answers, they do not narrow them.
	hints map[string]bool
	// whether says that the text asks whether something is wrong, rather than why.
	whether bool
	// past says that the question is about something that was: a restart, last night.
	past bool
}

// mayWiden says that the question complains of something that it only describes.
func (s seeds) mayWiden() bool { return len(s.refs) > 0 && !s.explicit && !s.whether }

var (
	wordPattern = regexp.MustCompile(`[\pL\pN][\pL\pN.-]*`)
	// whetherWords recognise questions that do not presuppose a fault.
	whetherWords = regexp.MustCompile(`(?i)\b(?:is|are|does|do)\b[^.]*\b(?:ok|okay|fine|healthy|well|wrong|alright|work(?:ing)?)\b[^.]*\?|can you check|check (?:if|whether|on)\b|va[- ]t[- ]il bien|va(?:-t-elle)? bien|tout va|en bonne santé|est-ce que .*(?:fonctionne|marche|problème)`)
	pastWords    = regexp.MustCompile(`(?i)restart|red[ée]marr|last night|cette nuit|yesterday|\bhier\b|crash|died|killed|was .*down|tomb[ée]`)
)

// namedKinds are the kinds that a bare name in a question may mean.
var namedKinds = []string{
	"Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job", "Service", "Ingress", "Pod", "Node",
	"HorizontalPodAutoscaler", "PersistentVolumeClaim", "ReplicaSet", "PodDisruptionBudget", "NetworkPolicy",
}

// readQuestion finds out what the question is about.
func (x *exam) readQuestion() seeds {
	s := seeds{hints: map[string]bool{}, past: pastWords.MatchString(x.question.Text), whether: whetherWords.MatchString(x.question.Text)}
	words := questionWords(x.question.Text)
	for w := range words {
		s.hints[w] = true
	}
	if len(x.question.Targets) > 0 {
		s.refs, s.explicit = x.question.Targets, true
		return s
	}
	s.namespaces = x.askedNamespaces(words)
	s.refs = append(x.namedObjects(words, s.namespaces), x.hosted(words, s.namespaces)...)
	return s
}

func questionWords(text string) map[string]bool {
	const most = 4096
	if len(text) > most {
		text = text[:most]
	}
	words := map[string]bool{}
	for _, w := range wordPattern.FindAllString(strings.ToLower(text), 400) {
		words[strings.Trim(w, ".-")] = true
	}
	return words
}

func (x *exam) askedNamespaces(words map[string]bool) []string {
	if x.question.Namespace != "" {
		return []string{x.question.Namespace}
	}
	var out []string
	for _, n := range x.snap.Namespaces {
		if words[n.Name] {
			out = append(out, n.Name)
		}
	}
	return out
}

// namedObjects returns the objects whose name the text holds, as a whole or, for a name of several parts, each part.
// A name that says more wins over one that is a part of it: "ledger backup" means ledger-backup, not ledger.
func (x *exam) namedObjects(words map[string]bool, namespaces []string) []cluster.Ref {
	var found []cluster.Ref
	for _, kind := range namedKinds {
		for _, r := range x.byKind[kind] {
			outside := r.Namespace != "" && len(namespaces) > 0 && !slices.Contains(namespaces, r.Namespace)
			if !outside && named(r.Name, words) && (!slices.Contains(namespaces, r.Name) || x.namedTwice(r.Name)) {
				found = append(found, r)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(found), func(r cluster.Ref) bool {
		return slices.ContainsFunc(found, func(o cluster.Ref) bool { return len(o.Name) > len(r.Name) && partOf(r.Name, o.Name) })
	})
}

// hosted returns the Ingresses that serve a host which the text names: people know their site, not its objects.
func (x *exam) hosted(words map[string]bool, namespaces []string) []cluster.Ref {
	var out []cluster.Ref
	for _, i := range x.snap.Ingresses {
		if len(namespaces) > 0 && !slices.Contains(namespaces, i.Namespace) {
			continue
		}
		if slices.ContainsFunc(i.Spec.Rules, func(r networkingv1.IngressRule) bool { return r.Host != "" && words[strings.ToLower(r.Host)] }) {
			out = append(out, ref("Ingress", i.Namespace, i.Name))
		}
	}
	return out
}

func named(name string, words map[string]bool) bool {
	if words[name] {
		return true
	}
	parts := nameParts(name)
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool { return !words[p] })
}

func nameParts(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return c == '-' || c == '.' })
}

func partOf(short, long string) bool { return slices.Contains(nameParts(long), short) }

// namedTwice says that a word that is the name of a namespace occurs once more, so that it may name something in it.
func (x *exam) namedTwice(name string) bool {
	n := 0
	for _, w := range wordPattern.FindAllString(strings.ToLower(x.question.Text), 400) {
		if strings.Trim(w, ".-") == name {
			n++
		}
	}
	return n > 1
}

// asksAbout says that the question names an object or the workload behind it.
func (x *exam) asksAbout(r cluster.Ref) bool {
	return slices.Contains(x.seeds.refs, r)
}

// resembles says that a name shares a long enough beginning with a word of the question, as "invoicer" with "invoices", or
// is its plural or singular.
func (x *exam) resembles(name string) bool {
	const stem = 5
	for _, part := range nameParts(name) {
		if one := strings.TrimSuffix(part, "s"); len(one) > 3 && (x.seeds.hints[one] || x.seeds.hints[one+"s"]) {
			return true
		}
		if len(part) < stem {
			if len(part) > 2 && x.seeds.hints[part] {
				return true
			}
			continue
		}
		for w := range x.seeds.hints {
			if len(w) >= stem && strings.HasPrefix(w, part[:stem]) {
				return true
			}
		}
	}
	return false
}
