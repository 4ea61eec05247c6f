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

// resolve looks every named target up, and records them all or none. What does not exist, or could be several things, is
// never guessed.
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
	for _, want := range named {
		if want.host != "" {
			return refuse(v1alpha1.TargetResolvedHostsNotSupportedYet, p.say(saidNoHosts, want.host))
		}
		found, err := p.lookUp(ctx, reader, want)
		if err != nil {
			return err
		}
		same := func(t v1alpha1.ResolvedTarget) bool { return *t.Object == found }
		if !slices.ContainsFunc(targets, same) {
			targets = append(targets, v1alpha1.ResolvedTarget{Object: &found, Source: want.source})
		}
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
	found, err := reader.Find(ctx, want.Query)
	var unknown *cluster.UnknownKindError
	var unseen *cluster.UnseenError
	switch {
	case errors.As(err, &unknown):
		return v1alpha1.ObjectReference{}, refuse(v1alpha1.TargetResolvedTargetNotFound, p.say(saidUnknownKind, unknown.Kind), p.say(saidListKinds))
	case errors.As(err, &unseen):
		return v1alpha1.ObjectReference{}, p.notFound(ctx, reader, want, unseen.What)
	case fault.Is(err, fault.PermissionDenied):
		return v1alpha1.ObjectReference{}, p.forbidden(want.place(p.task.Namespace))
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

// notFound says that a target does not exist, which ones come close, and what could not be looked at.
func (p *pass) notFound(ctx context.Context, reader cluster.Reader, want wanted, unseen []string) error {
	message := p.say(saidNotFound, strings.TrimSpace(want.Kind+" "+want.Name), p.task.Namespace)
	if want.Namespace != "" {
		message = p.say(saidNotFoundIn, strings.TrimSpace(want.Kind+" "+want.Name), want.Namespace)
	}
	var near []cluster.Found
	if suggester, ok := reader.(cluster.Suggester); ok {
		var err error
		if near, err = suggester.Suggest(ctx, want.Query); fault.IsRetry(err) {
			return err
		}
	}
	remedy := p.say(saidWriteName)
	if len(near) > 0 {
		message += " " + p.say(saidDidYouMean, list(near))
		remedy = p.say(saidWriteWhich, describe(reference(near[0])))
	}
	if len(unseen) > 0 {
		message += " " + p.say(saidUnseen, p.account().Name, strings.Join(unseen[:min(len(unseen), maxCandidates)], ", "))
	}
	return refuse(v1alpha1.TargetResolvedTargetNotFound, message, remedy)
}

// place is the namespace that is looked in first; a Namespace is looked for in itself, which is how the API server grants
// it.
func (w wanted) place(own string) string {
	if w.Kind == "Namespace" {
		return w.Name
	}
	return cmp.Or(w.Namespace, own)
}

// forbidden says that the account may not read in a namespace, and how that is granted, there and beyond namespaces.
func (p *pass) forbidden(namespace string) error {
	account := p.account()
	return refuse(v1alpha1.DiagnosedReaderForbidden, p.say(saidForbidden, account.Name, account.Namespace, namespace),
		p.grantRead(namespace), p.say(saidForNodes, p.grantReadCluster()), p.say(saidAskAgain))
}

// grantReadCluster is the command that gives the account the right to read what has no namespace.
func (p *pass) grantReadCluster() string {
	account := p.account()
	return "kubectl create clusterrolebinding " + account.Name + "-" + account.Namespace +
		" --clusterrole=eclusier-reader-cluster --serviceaccount=" + account.Namespace + ":" + account.Name
}

// grantRead is the command that gives the account the right to read a namespace.
func (p *pass) grantRead(namespace string) string {
	account := p.account()
	name := account.Name
	if namespace != account.Namespace {
		name += "-" + account.Namespace
	}
	return "kubectl create rolebinding " + name + " -n " + namespace +
		" --clusterrole=eclusier-reader --serviceaccount=" + account.Namespace + ":" + account.Name
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
