package agenttask

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/fault"
)

// refusals are what is wrong with the targets that a task names.
type refusals []*fault.Fault

// collect keeps an error that no other attempt would change, and says whether it did.
func (r *refusals) collect(err error) bool {
	var refusal *fault.Fault
	if !errors.As(err, &refusal) || refusal.Fate != fault.Terminal {
		return false
	}
	*r = append(*r, refusal)
	return true
}

// refuseAll ends the task for what is wrong with its targets, under the first reason, and says which were found all the
// same.
func (p *pass) refuseAll(refused refusals, found []v1alpha1.ResolvedTarget) error {
	var sentences, remedies []string
	for _, refusal := range refused {
		sentences = appendNew(sentences, refusal.Message)
		for _, remedy := range refusal.Remedies {
			remedies = appendNew(remedies, remedy)
		}
	}
	if len(found) > 0 {
		var names []string
		for _, target := range found {
			names = append(names, describe(*target.Object))
		}
		sentences = append(sentences, p.say(saidAllNeeded, strings.Join(names, ", ")))
	}
	return refuse(refused[0].Reason, strings.Join(sentences, " "), remedies...)
}

func appendNew(all []string, one string) []string {
	if slices.Contains(all, one) {
		return all
	}
	return append(all, one)
}

// notFound says that a target does not exist, as far as could be looked, and which ones come close.
func (p *pass) notFound(ctx context.Context, reader cluster.Reader, want wanted, unseen []string) error {
	name, place := strings.TrimSpace(want.Kind+" "+want.Name), cmp.Or(want.Namespace, p.task.Namespace)
	message := p.say(saidNotFound, name, place)
	switch {
	case len(unseen) > 0:
		message = p.say(saidNotFoundSeen, name, place, p.account().Name, p.places(unseen))
	case ofCluster(reader, want.Query):
		message = p.say(saidNotFoundAtAll, name)
	case want.Namespace != "":
		message = p.say(saidNotFoundIn, name, place)
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
	return refuse(v1alpha1.TargetResolvedTargetNotFound, message, remedy)
}

// places names what could not be looked at: resources, and namespaces where there are too many resources to list.
func (p *pass) places(unseen []string) string {
	var names, elsewhere []string
	for _, what := range unseen {
		if resource, ok := strings.CutSuffix(what, cluster.OfOtherNamespaces); ok {
			elsewhere = append(elsewhere, resource)
			continue
		}
		names = append(names, what)
	}
	switch {
	case len(elsewhere) > 2:
		names = append(names, p.say(saidOtherNamespaces))
	case len(elsewhere) > 0:
		names = append(names, p.say(saidElsewhere, strings.Join(elsewhere, ", ")))
	}
	return strings.Join(names, ", ")
}

// ofCluster tells whether a query is about a kind that has no namespaces.
func ofCluster(reader cluster.Reader, query cluster.Query) bool {
	scoper, ok := reader.(cluster.Scoper)
	return ok && query.Kind != "" && !scoper.Namespaced(query)
}

// isSecret tells whether somebody asks for a Secret, which nobody may read here whatever is granted.
func isSecret(kind string) bool {
	return strings.EqualFold(kind, "Secret") || strings.EqualFold(kind, "Secrets")
}

// hidden says that the account may not look a target up, and how exactly that is granted.
func (p *pass) hidden(reader cluster.Reader, want wanted) error {
	account, what, place := p.account(), cmp.Or(want.Kind, want.Name), cmp.Or(want.Namespace, p.task.Namespace)
	switch {
	case strings.EqualFold(want.Kind, "Namespace"): // the API server grants a look at a namespace in the namespace itself
		place = want.Name
	case ofCluster(reader, want.Query):
		return refuse(v1alpha1.TargetResolvedReaderForbidden, p.say(saidForbiddenCluster, account.Name, account.Namespace, what),
			p.grantReadCluster(), p.say(saidAskAgain))
	}
	return refuse(v1alpha1.TargetResolvedReaderForbidden, p.say(saidForbidden, account.Name, account.Namespace, what, place),
		p.grantRead(place), p.say(saidAskAgain))
}

// forbidden says that the account may read nothing in a namespace, and how that is granted.
func (p *pass) forbidden(namespace string) error {
	account := p.account()
	return refuse(v1alpha1.DiagnosedReaderForbidden, p.say(saidForbiddenAll, account.Name, account.Namespace, namespace),
		p.grantRead(namespace), p.say(saidAskAgain))
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
