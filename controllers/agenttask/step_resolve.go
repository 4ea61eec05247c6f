package agenttask

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/fault"
)

// maxCandidates is how many objects a message lists: more is no help to choose.
const maxCandidates = 5

// wanted is one object or host that the task names.
type wanted struct {
	cluster.Query
	host   string
	source v1alpha1.TargetSource
}

// resolve looks every named target up, and records them all or none: an answer about half of what was asked reads like one
// about the whole. What does not exist, or could be several things, is never guessed; everything that is wrong with the
// names is said at once.
func (p *pass) resolve(ctx context.Context) error {
	named := p.named()
	if len(named) == 0 {
		own := v1alpha1.ObjectReference{APIVersion: "v1", Kind: "Namespace", Name: p.task.Namespace}
		p.task.Status.Targets = []v1alpha1.ResolvedTarget{{Object: &own, Source: v1alpha1.TargetFromNamespace}}
		return nil
	}
	reader, err := p.Readers.ReaderFor(p.account(), p.asked())
	if err != nil {
		return err
	}
	var targets []v1alpha1.ResolvedTarget
	var refused refusals
	for _, want := range named {
		found, err := p.lookUp(ctx, reader, want)
		if refused.collect(err) {
			continue
		}
		if err != nil {
			return err
		}
		same := func(t v1alpha1.ResolvedTarget) bool { return *t.Object == found }
		if !slices.ContainsFunc(targets, same) {
			targets = append(targets, v1alpha1.ResolvedTarget{Object: &found, Source: want.source})
		}
	}
	if len(refused) > 0 {
		return p.refuseAll(refused, targets)
	}
	p.task.Status.Targets = targets
	return nil
}

// named returns what spec.targets names or, only where it names nothing, what the prompt does.
func (p *pass) named() []wanted {
	var named []wanted
	for _, t := range p.task.Spec.Targets {
		query := cluster.Query{Kind: t.Kind, APIVersion: t.APIVersion, Name: t.Name,
			Namespace: cmp.Or(t.Namespace, p.task.Namespace), DefaultNamespace: p.task.Namespace}
		named = append(named, wanted{Query: query, host: t.Host, source: v1alpha1.TargetFromSpec})
	}
	if len(named) > 0 {
		return named
	}
	if said := p.wished(); p.wantsChange() && said.err == nil {
		return p.wishedFor(said.wish)
	}
	words := p.words()
	for _, t := range words.Targets[:min(len(words.Targets), v1alpha1.MaxStatusTargets)] {
		query := cluster.Query{Kind: t.Kind, Name: t.Name,
			Namespace: cmp.Or(t.Namespace, words.Namespace), DefaultNamespace: p.task.Namespace}
		if t.Kind == "Namespace" {
			query.Namespace = ""
		}
		named = append(named, wanted{Query: query, host: t.Host, source: v1alpha1.TargetFromPrompt})
	}
	return named
}

// lookUp finds the one object that is meant.
func (p *pass) lookUp(ctx context.Context, reader cluster.Reader, want wanted) (v1alpha1.ObjectReference, error) {
	if want.host != "" {
		return p.site(ctx, reader, want.host)
	}
	if isSecret(want.Kind) {
		return v1alpha1.ObjectReference{}, refuse(v1alpha1.TargetResolvedReaderForbidden, p.say(saidSecret, want.Name), p.say(saidAskUser))
	}
	found, err := reader.Find(ctx, want.Query)
	var unknown *cluster.UnknownKindError
	var unseen *cluster.UnseenError
	switch {
	case errors.As(err, &unknown):
		return v1alpha1.ObjectReference{}, refuse(v1alpha1.TargetResolvedTargetNotFound, p.say(saidUnknownKind, unknown.Kind), p.say(saidListKinds))
	case errors.As(err, &unseen):
		return v1alpha1.ObjectReference{}, p.notFound(ctx, reader, want, unseen.What)
	case fault.Is(err, fault.PermissionDenied):
		return v1alpha1.ObjectReference{}, p.hidden(reader, want)
	case err != nil:
		return v1alpha1.ObjectReference{}, err
	}
	if want.Kind == "" {
		found = cluster.Prefer(found)
	}
	switch len(found) {
	case 0:
		return v1alpha1.ObjectReference{}, p.notFound(ctx, reader, want, nil)
	case 1:
		return reference(found[0]), nil
	}
	return v1alpha1.ObjectReference{}, refuse(v1alpha1.TargetResolvedTargetAmbiguous,
		p.say(saidAmbiguous, want.Name, list(found)), p.say(saidWriteWhich, describe(reference(found[0]))))
}

// site finds the Ingress of the task's namespace that serves a host: who names a web site means what stands behind it.
func (p *pass) site(ctx context.Context, reader cluster.Reader, host string) (v1alpha1.ObjectReference, error) {
	snapshot := &cluster.Snapshot{}
	err := reader.Read(ctx, snapshot, []cluster.Want{{What: cluster.WantNamespace, Namespace: p.task.Namespace}})
	if fault.IsRetry(err) {
		return v1alpha1.ObjectReference{}, err
	}
	for _, ingress := range snapshot.Ingresses {
		for _, rule := range ingress.Spec.Rules {
			if strings.EqualFold(rule.Host, host) {
				return v1alpha1.ObjectReference{APIVersion: "networking.k8s.io/v1", Kind: "Ingress",
					Namespace: ingress.Namespace, Name: ingress.Name, UID: string(ingress.UID)}, nil
			}
		}
	}
	return v1alpha1.ObjectReference{}, refuse(v1alpha1.TargetResolvedHostsNotSupportedYet, p.say(saidNoHosts, host))
}

// account is who everything is read as.
func (p *pass) account() types.NamespacedName {
	return types.NamespacedName{
		Namespace: p.task.Namespace,
		Name:      cmp.Or(p.task.Spec.ServiceAccountName, v1alpha1.DefaultServiceAccountName),
	}
}

// asked is a moment at which the question had certainly been asked. The API keeps whole seconds, so it is the end of the
// second in which the task was started.
func (p *pass) asked() time.Time {
	return p.task.Status.StartedAt.Truncate(time.Second).Add(time.Second)
}

func reference(f cluster.Found) v1alpha1.ObjectReference {
	return v1alpha1.ObjectReference{APIVersion: f.APIVersion, Kind: f.Kind, Namespace: f.Namespace, Name: f.Name, UID: f.UID}
}

// describe names an object as kubectl takes it.
func describe(o v1alpha1.ObjectReference) string {
	name := strings.ToLower(o.Kind) + "/" + o.Name
	if o.Namespace != "" {
		name += " -n " + o.Namespace
	}
	return name
}

func list(found []cluster.Found) string {
	var names []string
	for _, f := range found[:min(len(found), maxCandidates)] {
		names = append(names, describe(reference(f)))
	}
	return strings.Join(names, ", ")
}
