package wish

import (
	"cmp"
	"slices"
	"strings"

	"github.com/eclusier/eclusier/internal/classify"
)

// list is one way to read objects from a word on.
type list struct {
	end   int
	names []Name
}

// place is one way to read a namespace from a word on.
type place struct {
	end       int
	namespace string
}

// The words that lead to one object, those that point at one, those that stand behind a name and add nothing, and those that
// join two names, with what may stand behind such a word.
var (
	articles = []string{"the", "my", "our", "le", "la", "les", "mon", "ma", "mes", "notre", "nos"}
	pronouns = []string{"it", "them", "le", "la", "les", "ca", "celui-ci", "celle-ci"}
	nouns    = []string{"app", "apps", "application", "applications", "workload", "workloads", "component", "composant"}
	links    = []string{"and", "et", "then", "puis", "ensuite"}
	orders   = []string{"then", "also", "puis", "ensuite", "aussi"}
	named    = []string{"named", "called", "nomme", "nommee", "appele", "appelee"}
)

// twoWords are the kinds that people write in two words.
var twoWords = map[string]string{
	"stateful set": "StatefulSet", "stateful sets": "StatefulSet", "daemon set": "DaemonSet", "daemon sets": "DaemonSet",
	"replica set": "ReplicaSet", "replica sets": "ReplicaSet", "cron job": "CronJob", "cron jobs": "CronJob",
	"tache planifiee": "CronJob", "taches planifiees": "CronJob", "config map": "ConfigMap", "config maps": "ConfigMap",
}

// shortFor are the kinds that people call by a word which the vocabulary does not hold for one.
var shortFor = map[string]string{"cron": "CronJob", "crons": "CronJob", "cronjobs": "CronJob"}

// shortWords are the short names of kinds that are words of a language: they mean the kind in "no/worker-3" alone.
var shortWords = []string{"no", "sa", "ing", "pc"}

// targets returns the ways to read objects at i: none where the text leaves them out, a pronoun, a name, or several.
func (r *reader) targets(i int, verb Verb) []list {
	if r.follows(i+1) && (r.words[i].Text == "moi" || r.words[i].Text == "nous") {
		i++ // for whom it is done
	}
	all := []list{{end: i, names: []Name{{}}}}
	if i < r.end && slices.Contains(pronouns, r.words[i].Text) && r.words[i].Before == classify.PauseNone {
		all = append(all, list{end: i + 1, names: []Name{{}}})
	}
	return append(all, r.names(i, verb, "", maxSteps+1)...)
}

// names returns the ways to read a name at i and those joined to it, up to so many. They are of its kind unless they say
// another.
func (r *reader) names(i int, verb Verb, kind string, atMost int) []list {
	var all []list
	for _, one := range r.located(i, verb, kind) {
		all = append(all, one)
		if next := r.next(one.end); next < r.end && atMost > 1 && !r.maybeCommand(next, verb, one.names[0].Kind) {
			for _, more := range r.names(next, verb, one.names[0].Kind, atMost-1) {
				all = append(all, list{more.end, slices.Concat(one.names, more.names)})
			}
		}
	}
	return all
}

// maybeCommand tells whether the word at i, joined to a name, is rather another command than another name: "cordon worker-3
// and drain". Behind the word for a kind it is a name.
func (r *reader) maybeCommand(i int, verb Verb, kind string) bool {
	if verb == Cordon || verb == Uncordon {
		kind = ""
	}
	return kind == "" && r.words[i].Change && !r.words[i].Quoted
}

// next returns the index of the name that is joined to what ends before i: "web and api", "web, api". It is the end of the
// sentence if there is none.
func (r *reader) next(i int) int {
	switch {
	case i >= r.end:
	case r.words[i].Before > classify.PauseComma:
	case slices.Contains(links, r.words[i].Text):
		at := i + 1
		if r.follows(at) && slices.Contains(orders, r.words[at].Text) {
			at++
		}
		if r.follows(at) {
			return at
		}
	case r.words[i].Before == classify.PauseComma && !r.takesBack(i):
		return i
	}
	return r.end
}

// takesBack tells whether the word at i, alone behind a comma, is rather a second thought than a name: "restart web, nope".
func (r *reader) takesBack(i int) bool {
	return !r.words[i].Quoted && slices.Contains(governing, r.words[i].Text) && (i+1 >= r.end || r.words[i+1].Before != classify.PauseNone)
}

// located returns the ways to read one name at i, with its namespace behind it or without.
func (r *reader) located(i int, verb Verb, kind string) []list {
	var all []list
	for _, one := range r.name(i, verb) {
		name := &one.names[0]
		if name.Kind == "" && one.end == i+1 {
			name.Kind = kind
		}
		if (verb == Cordon || verb == Uncordon) && name.Kind == "" {
			name.Kind = "Node"
		}
		all = append(all, one)
		if name.Namespace != "" || clusterScoped(name.Kind, verb) {
			continue
		}
		for _, p := range r.places(one.end) {
			there := *name
			there.Namespace = p.namespace
			all = append(all, list{p.end, []Name{there}})
		}
	}
	return all
}

// name returns the ways to read one name at i, without its namespace.
func (r *reader) name(i int, verb Verb) []list {
	var all []list
	add := func(end int, name Name) {
		if name.Kind = kindMeant(name.Kind, verb); name.Kind != nothing {
			all = append(all, list{end, []Name{name}})
		}
	}
	if i = r.article(i); i >= r.end {
		r.fail(r.end)
		return nil
	}
	if kind, k := r.kind(i); k > i {
		r.behindKind(k, kind, verb, add)
	}
	if name := slashed(&r.words[i]); name.Name != "" {
		add(i+1, name)
	}
	if !r.isName(i) {
		r.fail(i)
		return all
	}
	add(i+1, Name{Name: r.words[i].Plain})
	if !r.follows(i + 1) {
		return all
	}
	if kind, k := r.kind(i + 1); k > i+1 {
		add(k, Name{Kind: kind, Name: r.words[i].Plain})
	}
	if slices.Contains(nouns, r.words[i+1].Text) {
		add(i+2, Name{Name: r.words[i].Plain})
	}
	return all
}

// article returns the index after the article at i, or i.
func (r *reader) article(i int) int {
	if r.follows(i+1) && !r.words[i].Quoted && slices.Contains(articles, r.words[i].Text) {
		return i + 1
	}
	return i
}

// nothing is the kind of what no cluster holds.
const nothing = "-"

// kindMeant returns the kind that is meant by a word for one. What is done to the pods of something is done to it, unless
// they are to be deleted; an application may be of any kind.
func kindMeant(kind string, verb Verb) string {
	switch {
	case kind == "Host", kind == "Terraform", kind == "Playbook":
		return nothing
	case kind == "Application", kind == "Pod" && verb != Delete:
		return ""
	}
	return kind
}

// behindKind reads the name behind the word for a kind that ends before k, and "the pods of web", which are web's.
func (r *reader) behindKind(k int, kind string, verb Verb, add func(end int, name Name)) {
	if r.follows(k) && slices.Contains(named, r.words[k].Text) {
		k++
	}
	if !r.follows(k) {
		return
	}
	if r.couldBeName(k) && (r.words[k].Quoted || !r.words[k].Binding) {
		add(k+1, Name{Kind: kind, Name: r.words[k].Plain})
	}
	if name := slashed(&r.words[k]); name.Kind == "" && name.Namespace != "" {
		add(k+1, Name{Kind: kind, Namespace: name.Namespace, Name: name.Name})
	}
	if kind == "Pod" && verb != Delete {
		r.ofPods(k, verb, add)
	}
}

// ofPods reads whose the pods before k are.
func (r *reader) ofPods(k int, verb Verb, add func(end int, name Name)) {
	if !r.follows(k+1) || !slices.Contains([]string{"of", "de", "du"}, r.words[k].Text) {
		return
	}
	for _, of := range r.name(k+1, verb) {
		add(of.end, of.names[0])
	}
}

// kind returns the kind that the word or the two words at i mean, and the index after them; i if they mean none.
func (r *reader) kind(i int) (string, int) {
	if i >= r.end || r.words[i].Quoted {
		return "", i
	}
	if r.follows(i + 1) {
		if kind := twoWords[r.words[i].Text+" "+r.words[i+1].Text]; kind != "" {
			return kind, i + 2
		}
	}
	if slices.Contains(shortWords, r.words[i].Text) {
		return "", i
	}
	if kind := cmp.Or(r.words[i].Kind, shortFor[r.words[i].Text]); kind != "" {
		return kind, i + 1
	}
	return "", i
}

// slashed reads "deploy/web", "deployment/shop/web" and "shop/web".
func slashed(w *classify.Word) Name {
	parts := strings.Split(w.Plain, "/")
	if len(parts) < 2 || !classify.IsName(parts[len(parts)-1]) {
		return Name{}
	}
	kind := classify.KindOf(parts[0])
	switch {
	case len(parts) == 2 && kind != "":
		return Name{Kind: kind, Name: parts[1]}
	case len(parts) == 2 && isLabel(parts[0]):
		return Name{Namespace: parts[0], Name: parts[1]}
	case len(parts) == 3 && kind != "" && isLabel(parts[1]):
		return Name{Kind: kind, Namespace: parts[1], Name: parts[2]}
	}
	return Name{}
}

// places returns the ways to read where something is at i: "in shop", "dans l'espace de noms shop", "-n shop".
func (r *reader) places(i int) []place {
	if i >= r.end {
		return nil
	}
	if namespace, end := r.flag(i); namespace != "" {
		return []place{{end, namespace}}
	}
	var all []place
	for _, p := range grammar().places {
		r.match(p, i, draft{start: i}, func(end int, _ draft) {
			if !r.follows(end) && !r.labels(end) || !r.isPlace(end) {
				return
			}
			all = append(all, place{end + 1, r.words[end].Plain})
			if r.follows(end+1) && r.words[end+1].Kind == "Namespace" {
				all = append(all, place{end + 2, r.words[end].Plain})
			}
		})
	}
	return all
}

// labels tells whether a colon leads from the word for namespaces to the name at i: "ns: shop".
func (r *reader) labels(i int) bool {
	return i < r.end && r.words[i].Before == classify.PauseColon && r.words[i-1].Kind == "Namespace"
}

// flag reads "-n shop", "--namespace=shop" and "ns=shop" at i.
func (r *reader) flag(i int) (namespace string, end int) {
	flag, namespace, given := strings.Cut(r.words[i].Plain, "=")
	end = i + 1
	if !given && r.follows(end) {
		namespace = r.words[end].Plain
		end++
	}
	label := given && (flag == "ns" || flag == "namespace")
	if flag != "-n" && flag != "--namespace" && !label || !isLabel(namespace) {
		return "", i
	}
	return namespace, end
}

// isPlace tells whether the word at i, behind one that leads to a namespace, is the name of one. Behind the word for
// namespaces it may be a common word.
func (r *reader) isPlace(i int) bool {
	w, before := &r.words[i], &r.words[i-1]
	if !isLabel(w.Plain) || w.Text == "cluster" {
		return false
	}
	return r.isName(i) || (before.Kind == "Namespace" || before.Text == "noms") && r.couldBeName(i)
}

// follows tells whether there is a word at i that nothing separates from the one before.
func (r *reader) follows(i int) bool { return i < r.end && r.words[i].Before == classify.PauseNone }

// couldBeName tells whether the word at i has the form of a name, and is no number.
func (r *reader) couldBeName(i int) bool {
	w := &r.words[i]
	_, number := numerals[w.Plain]
	return classify.IsName(w.Plain) && !number && (w.Quoted || !slices.Contains(limits, w.Text))
}

// isName tells whether the word at i is a name wherever it stands: one in quotes, or one that has no other part to play.
// A name with dots is a host's, unless a kind stands before it.
func (r *reader) isName(i int) bool {
	w := &r.words[i]
	if !r.couldBeName(i) || strings.Contains(w.Plain, ".") {
		return false
	}
	literal := grammar().literals[w.Plain] || grammar().literals[w.Text]
	return w.Quoted || !w.Binding && !literal
}

// isLabel tells whether a word has the form of a namespace's name.
func isLabel(word string) bool {
	return len(word) <= 63 && classify.IsName(word) && !strings.Contains(word, ".")
}
