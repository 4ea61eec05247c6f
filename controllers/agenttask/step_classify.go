package agenttask

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"golang.org/x/text/language"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/classify"
	"github.com/eclusier/eclusier/internal/wish"
)

// classify records what the prompt was taken for. An explicit intent wins over every rule; whether it is operations work at
// all, only the rules say.
func (p *pass) classify(ctx context.Context) error {
	words := p.words()
	sorted := &v1alpha1.Classification{
		Intent:      v1alpha1.ClassifiedIntent(words.Intent),
		Confidence:  v1alpha1.NewDecimal(words.Confidence),
		Source:      v1alpha1.SourceRule,
		Rules:       bounded(words.Rules, v1alpha1.MaxRules),
		InScope:     words.InScope,
		ScopeReason: words.ScopeReason,
		Language:    p.language().String(),
	}
	if explicit := p.task.Spec.Intent; explicit == v1alpha1.IntentDiagnostic || explicit == v1alpha1.IntentChange {
		sorted.Intent, sorted.Confidence = v1alpha1.ClassifiedIntent(explicit), "1"
		sorted.Source, sorted.Rules = v1alpha1.SourceExplicit, nil
	} else if p.plainlyWished() {
		sorted.Intent, sorted.Confidence = v1alpha1.ClassifiedChange, v1alpha1.NewDecimal(classify.Threshold)
		sorted.Rules = bounded(append([]string{ruleWish}, words.Rules...), v1alpha1.MaxRules)
	} else if words.Confidence < classify.Threshold {
		sorted.Intent = v1alpha1.ClassifiedAmbiguous
	}
	p.task.Status.Classification = sorted
	digest := sha256.Sum256([]byte(p.task.Spec.Prompt))
	log.FromContext(ctx).V(1).Info("Classified prompt", "promptDigest", "sha256:"+hex.EncodeToString(digest[:]),
		"intent", sorted.Intent, "source", sorted.Source, "rules", sorted.Rules, "confidence", sorted.Confidence)
	p.stored = append(p.stored, func() { p.Metrics.Classified(string(sorted.Intent), string(sorted.Source)) })
	if !sorted.InScope {
		return refuse(v1alpha1.ClassifiedOutOfScope, p.say(saidOutOfScope))
	}
	return nil
}

// ruleWish is the rule that takes for a wish what reads as one from the first word to the last.
const ruleWish = "wish"

// plainlyWished tells whether the rules alone cannot say what a prompt is, but the whole of it is a wish for objects that it
// names. What they take for a question stays one.
func (p *pass) plainlyWished() bool {
	if words := p.words(); !words.InScope || words.Intent == classify.Diagnostic || words.Intent == classify.Change {
		return false
	}
	said := p.wished()
	return said.err == nil && !slices.ContainsFunc(said.wish.Steps, func(s wish.Step) bool { return s.Target.Name == "" })
}

// admit lets questions and wishes through. What is unclear ends here.
func (p *pass) admit(context.Context) error {
	if p.task.Status.Classification.Intent != v1alpha1.ClassifiedAmbiguous {
		return nil
	}
	return refuse(v1alpha1.ClassifiedClarificationNeeded, p.say(saidUnclear), p.say(saidWriteQuestion, p.example()), p.say(saidWriteIntent))
}

// example is what a person who wants to know something about the first target could write.
func (p *pass) example() string {
	object := p.task.Status.Targets[0].Object
	return p.say(saidExample, describe(*object))
}

// words is the prompt as the rules read it, worked out once per pass.
func (p *pass) words() classify.Result {
	if p.prompt == nil {
		words := classify.Classify(p.task.Spec.Prompt)
		p.prompt = &words
	}
	return *p.prompt
}

// language is the one that the task is answered in.
func (p *pass) language() language.Tag {
	name := p.task.Spec.Language
	if sorted := p.task.Status.Classification; name == "" && sorted != nil {
		name = sorted.Language
	}
	if name == "" {
		name = p.words().Language
	}
	return language.Make(name)
}
