// Package classify reads what a person wrote: whether it asks a question or wants a change, which objects and hosts it
// names, in which language, and whether it is about operations at all.
//
// It decides from a closed vocabulary of English and French and from ordered, named rules; it holds no model, no client
// and no clock. Unsure never means Change. It never looks a name up and never guesses one that is not in the text: the
// AgentTask controller and the plugin's "classify" command call it and do the rest.
package classify

// Intent is what a text wants.
type Intent string

const (
	// Diagnostic asks to look, to explain or to rehearse: nothing may change.
	Diagnostic Intent = "Diagnostic"
	// Change wants something to be different afterwards.
	Change Intent = "Change"
	// Ambiguous could be either; a person has to say which.
	Ambiguous Intent = "Ambiguous"
)

// Threshold is the confidence below which, strictly, a text counts as not classified.
const Threshold = 0.7

// Target is an object or a host that the text names.
type Target struct {
	// Kind is the canonical kind, such as Deployment; empty where the text gives a bare name, and for hosts. Terraform
	// modules have kind Terraform, Ansible playbooks kind Playbook.
	Kind string
	// Namespace is the one named together with the target, or the only one that the text names.
	Namespace string
	Name      string
	// Host is a host name or an address; Kind and Name are then empty.
	Host string
}

// Result is what Classify finds.
type Result struct {
	Intent Intent
	// Confidence lies between 0 and 1. An Ambiguous result stays strictly below Threshold, the others do not.
	Confidence float64
	// Rules names the rules that fired, the deciding one first.
	Rules   []string
	Targets []Target
	// Namespace is the first namespace that the text names.
	Namespace string
	// WholeCluster says that the text asks about the whole cluster, or all its namespaces, and names none of them.
	WholeCluster bool
	// Language is "en" or "fr".
	Language string
	// InScope is false for what is not operations; ScopeReason then says why. Intent is Ambiguous in that case.
	InScope     bool
	ScopeReason string
}

// rule is one line of the plan: what it is called, when it fires, and what follows.
type rule struct {
	name       string
	intent     Intent
	confidence float64
	fires      func(*reading) bool
}

// rules is the whole plan: the first that fires decides, those after it that agree are named too. The confidence is
// the rule's own; 0.05 is taken off where a misspelt word was corrected, never across Threshold. A rule for Change
// needs a command that nothing in the text negates, doubts, reports or only supposes, and an object for it.
var rules = []rule{
	{"nothing-said", Ambiguous, 0, func(r *reading) bool { return len(r.tokens) == 0 }},
	{"change-and-hands-off", Ambiguous, 0.50, func(r *reading) bool { return r.safe && r.wantsChange() && r.reads == 0 && !r.dry }},
	{"rehearsal", Diagnostic, 0.90, func(r *reading) bool { return r.shell == shellRehearses || r.dry && r.shell != shellChanges }},
	{"command-line", Change, 0.95, func(r *reading) bool { return r.shell == shellChanges }},
	{"hands-off", Diagnostic, 0.90, func(r *reading) bool { return r.safe }},
	{"command-on-named-object", Change, 0.90, func(r *reading) bool { return r.any(namedCommand) }},
	{"command-after-consent", Change, 0.85, func(r *reading) bool { return r.consents > 0 && r.any(firmCommand) }},
	{"command-on-object", Change, 0.80, func(r *reading) bool { return r.any(objectCommand) }},
	{"command-on-known-object", Change, 0.75, func(r *reading) bool { return r.any(pronounCommand) }},
	{"repair-if-needed", Change, 0.75, (*reading).repairsIfNeeded},
	{"command-unclear", Ambiguous, 0.60, func(r *reading) bool { return len(r.commands) > 0 }},
	{"wish-unclear", Ambiguous, 0.50, func(r *reading) bool { return r.vague > 0 }},
	{"command-line-unknown", Ambiguous, 0.60, func(r *reading) bool { return r.shell == shellUnknown }},
	{"command-line-reads", Diagnostic, 0.95, func(r *reading) bool { return r.shell == shellReads }},
	{"suggestion", Ambiguous, 0.55, func(r *reading) bool { return r.hedges > 0 && r.reads+r.questions+r.hypos+r.howTos == 0 }},
	{"how-to", Diagnostic, 0.90, func(r *reading) bool { return r.howTos > 0 }},
	{"supposition", Diagnostic, 0.90, func(r *reading) bool { return r.hypos > 0 }},
	{"plan", Diagnostic, 0.80, func(r *reading) bool { return r.plans > 0 }},
	{"question", Diagnostic, 0.90, func(r *reading) bool { return r.questions > 0 }},
	{"read-command", Diagnostic, 0.90, func(r *reading) bool { return r.reads > 0 }},
	{"hearsay-questioned", Diagnostic, 0.80, func(r *reading) bool { return r.reported > 0 && r.asked }},
	{"thing-to-show", Diagnostic, 0.75, func(r *reading) bool { return r.infos > 0 }},
	{"trouble-without-change", Diagnostic, 0.75, func(r *reading) bool { return r.negated > 0 && r.statements > 0 }},
	{"prohibition", Ambiguous, 0.60, func(r *reading) bool { return r.negated > 0 }},
	{"consent", Ambiguous, 0.50, func(r *reading) bool { return r.consents > 0 }},
	{"statement", Ambiguous, 0.40, func(r *reading) bool { return r.statements > 0 }},
	{"no-rule", Ambiguous, 0.30, func(*reading) bool { return true }},
}

func firmCommand(c command) bool    { return !c.doubted && (!c.vague || c.named) }
func namedCommand(c command) bool   { return firmCommand(c) && c.named && !c.vague }
func objectCommand(c command) bool  { return firmCommand(c) && c.object && !c.vague }
func pronounCommand(c command) bool { return firmCommand(c) && c.pronoun && !c.vague && !c.first }

func (r *reading) any(fits func(command) bool) bool {
	for _, c := range r.commands {
		if fits(c) {
			return true
		}
	}
	return false
}

func (r *reading) wantsChange() bool {
	return r.any(namedCommand) || r.any(objectCommand)
}

// repairsIfNeeded tells "look at web and repair it if necessary", which leaves the decision to the look.
func (r *reading) repairsIfNeeded() bool {
	return r.vague > 0 && r.reads > 0 && (r.ifNeeded > 0 || r.conditions > 0) && r.hedges == 0 && !r.asked
}

// Classify reads a text. It takes any bytes, looks at the first 16 KiB, and takes time linear in what it looks at.
func Classify(text string) Result {
	r := reading{text: text, tokens: tokenize(text)}
	x := extractor{text: text, tokens: r.tokens}
	x.extract()
	result := Result{Targets: x.targets, Namespace: x.namespace, Language: languageOf(r.tokens), InScope: true}
	result.WholeCluster = x.namespace == "" && asksWholeCluster(text, r.tokens)
	if reason := outOfScope(text, r.tokens, len(x.targets) > 0); reason != "" {
		if reason == ScopeLanguage {
			result.Targets, result.Namespace = nil, ""
		}
		result.Intent, result.InScope, result.ScopeReason = Ambiguous, false, reason
		result.Rules = []string{"out-of-scope"}
		return result
	}
	r.read()
	r.decide(&result)
	return result
}

func (r *reading) decide(result *Result) {
	for i := range rules {
		rule := &rules[i]
		switch {
		case len(result.Rules) > 0 && (rule.intent != result.Intent || rule.name == "no-rule" || !rule.fires(r)):
		case len(result.Rules) > 0:
			result.Rules = append(result.Rules, rule.name)
		case rule.fires(r):
			result.Intent, result.Confidence = rule.intent, rule.confidence
			result.Rules = append(make([]string, 0, 4), rule.name)
		}
	}
	if result.Confidence >= Threshold && r.corrected() {
		result.Confidence = max(Threshold, result.Confidence-0.05)
	}
}

func (r *reading) corrected() bool {
	for i := range r.tokens {
		if r.tokens[i].corrected {
			return true
		}
	}
	return false
}
