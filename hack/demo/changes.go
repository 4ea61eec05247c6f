package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
	"github.com/eclusier/eclusier/hack/local"
)

// cast is who plays, and what the names of this run's objects begin with.
type cast struct {
	*stage
	owner     *local.Asker
	dora, sam *person
	run       string
}

// playChanges shows three changes: one that mends the shop, one that is undone, and one that is refused.
func (s *stage) playChanges(ctx context.Context, owner *local.Asker, run string) error {
	people := filepath.Join(s.root, "hack", "demo", "changes", "people.yaml")
	if _, err := s.kubectl.Run(ctx, "apply", "--server-side", "-f", people); err != nil {
		return err
	}
	c := &cast{stage: s, owner: owner, run: run}
	var err error
	if c.dora, err = s.meet(ctx, "dora"); err != nil {
		return err
	}
	if c.sam, err = s.meet(ctx, "sam"); err != nil {
		return err
	}
	for _, act := range []func(context.Context) error{c.mend, c.turnBack, c.refuse} {
		if err := act(ctx); err != nil {
			return err
		}
		s.line("")
	}
	return nil
}

// task is one in plain words.
func (c *cast) task(name, prompt string) *v1alpha1.AgentTask {
	return &v1alpha1.AgentTask{
		ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: name + "-" + c.run},
		Spec:       v1alpha1.AgentTaskSpec{Prompt: prompt},
	}
}

// mend sets the image of web right.
func (c *cast) mend(ctx context.Context) error {
	c.title(fmt.Sprintf("%d. web: mended, once somebody else agrees", len(parts)+1))
	c.line("  %s", c.paint(dim, "dora and sam both may agree to changes here; dora also asks for them."))
	task := c.task("mend-web", "Please set the image of deployment web in shop to docker.io/library/nginx:1.29-alpine.")
	c.question("dora: " + task.Spec.Prompt)
	var change *v1alpha1.ChangeRequest
	err := c.step(ctx, "planned", "by a dry run, as eclusier-planner; nothing is changed yet", func() (err error) {
		change, err = c.dora.wish(ctx, task)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.review(ctx, change.Name); err != nil {
		return err
	}
	if err := c.refuseOwn(ctx, change); err != nil {
		return err
	}
	if err := c.agree(ctx, change); err != nil {
		return err
	}
	if err := c.watch(ctx, change.Name); err != nil {
		return err
	}
	if err := c.dora.ended(ctx, task); err != nil {
		return err
	}
	if !meta.IsStatusConditionTrue(task.Status.Conditions, v1alpha1.ConditionSucceeded) {
		return errors.New(local.Headline(task))
	}
	c.line("%s %s", c.paint(green, "✓"), local.Headline(task))
	return c.serves(ctx, "web")
}

// review prints what those see who have to agree.
func (c *cast) review(ctx context.Context, change string) error {
	shown, err := c.sam.plugin.Run(ctx, "review", change, "-n", shop)
	if err != nil {
		return err
	}
	c.command("kubectl eclusier review " + change + " -n " + shop)
	c.quote(shown)
	c.line("")
	return nil
}

// refuseOwn has dora try to agree to her own change.
func (c *cast) refuseOwn(ctx context.Context, change *v1alpha1.ChangeRequest) error {
	var why string
	err := c.step(ctx, "dora agrees", "with that kubectl patch, and is refused by the API server", func() error {
		_, err := c.dora.kubectl.Shell(ctx, change.Status.ApproveWith[0])
		if err == nil {
			return errors.New("dora agreed to her own change")
		}
		if why = refusal(err); why == "" {
			return err
		}
		return nil
	})
	if err == nil {
		c.line("    %s", c.paint(red, why))
	}
	return err
}

// agree has sam run the command that is printed for approvers.
func (c *cast) agree(ctx context.Context, change *v1alpha1.ChangeRequest) error {
	return c.step(ctx, "sam agrees", "with the same command: the API server vouches for him", func() error {
		_, err := c.sam.kubectl.Shell(ctx, change.Status.ApproveWith[0])
		return err
	})
}

// watch follows a change from consent to its good end.
func (c *cast) watch(ctx context.Context, change string) error {
	err := c.step(ctx, "applied", "as "+v1alpha1.DefaultApplierName+", exactly what was shown", func() error {
		_, err := c.dora.see(ctx, change, "applied", holds(v1alpha1.ConditionApplied))
		return err
	})
	if err != nil {
		return err
	}
	return c.step(ctx, "verified", "web becomes ready, and stays ready for a while", func() error {
		seen, err := c.dora.see(ctx, change, "verified", holds(v1alpha1.ConditionSucceeded))
		if err == nil && (len(seen.Status.Approvals) != 1 || seen.Status.Approvals[0].By != c.sam.name) {
			return fmt.Errorf("agreed to by %+v, expected %s", seen.Status.Approvals, c.sam.name)
		}
		return err
	})
}

// serves fails unless a Deployment has all its replicas.
func (c *cast) serves(ctx context.Context, name string) error {
	seen, err := look(ctx, c.owner)
	if err != nil {
		return err
	}
	if !seen[name].isAvailable() {
		return fmt.Errorf("%s is not available: %+v", name, seen[name].deployment.Status)
	}
	return nil
}

// turnBack gives payment an image that cannot be pulled.
func (c *cast) turnBack(ctx context.Context) error {
	c.title(fmt.Sprintf("%d. payment: a change that turns out bad undoes itself", len(parts)+2))
	before, err := c.deployment(ctx, "payment")
	if err != nil {
		return err
	}
	name := "payment-" + c.run
	file := filepath.Join(c.root, "hack", "demo", "changes", "payment.yaml")
	c.question("dora: kubectl eclusier change -f hack/demo/changes/payment.yaml")
	err = c.step(ctx, "planned", "another image for payment; no new warning is to follow", func() error {
		if _, err := c.dora.plugin.Run(ctx, "change", "-f", file, "--name", name, "-n", shop); err != nil {
			return err
		}
		_, err := c.dora.see(ctx, name, "shown to people", asks)
		return err
	})
	if err != nil {
		return err
	}
	err = c.step(ctx, "sam agrees", "kubectl eclusier approve, the plugin's way", func() error {
		_, err := c.sam.plugin.Run(ctx, "approve", name, "-n", shop, "--yes")
		return err
	})
	if err != nil {
		return err
	}
	return c.rolledBack(ctx, name, before)
}

// rolledBack follows a change to the failed check, and back.
func (c *cast) rolledBack(ctx context.Context, name string, before *appsv1.Deployment) error {
	failed := func(change *v1alpha1.ChangeRequest) bool {
		return said(change.Status.Conditions, v1alpha1.ConditionVerified).Status == metav1.ConditionFalse
	}
	var change *v1alpha1.ChangeRequest
	err := c.step(ctx, "check fails", "the nodes cannot pull the image", func() (err error) {
		change, err = c.dora.see(ctx, name, "failing its check", failed)
		return err
	})
	if err != nil {
		return err
	}
	c.line("    %s", c.paint(red, clip(said(change.Status.Conditions, v1alpha1.ConditionVerified).Message, 160)))
	err = c.step(ctx, "rolled back", "from the record alone, and payment is as before", func() error {
		if change, err = c.dora.see(ctx, name, "rolled back", func(change *v1alpha1.ChangeRequest) bool {
			return change.Status.Result == v1alpha1.ResultRolledBack
		}); err != nil {
			return err
		}
		return poll(ctx, "payment is not as before", func() (bool, error) {
			now, err := c.deployment(ctx, "payment")
			return err == nil && reflect.DeepEqual(now.Spec, before.Spec) && now.Status.AvailableReplicas == *before.Spec.Replicas, err
		})
	})
	if err == nil {
		c.line("%s %s", c.paint(green, "✓"), "payment runs "+before.Spec.Template.Spec.Containers[0].Image+" as before.")
	}
	return err
}

func (c *cast) deployment(ctx context.Context, name string) (*appsv1.Deployment, error) {
	found := &appsv1.Deployment{}
	return found, c.owner.Get(ctx, client.ObjectKey{Namespace: shop, Name: name}, found)
}

// refuse has a wish in French wait for somebody, who says no.
func (c *cast) refuse(ctx context.Context) error {
	c.title(fmt.Sprintf("%d. payment: a change that somebody refuses", len(parts)+3))
	task := c.task("more-payment", "Passe payment à 4 réplicas.")
	c.question("dora: " + task.Spec.Prompt)
	change, err := c.dora.wish(ctx, task)
	if err != nil {
		return err
	}
	for _, kind := range []string{"chg", "apv"} {
		table, err := c.sam.kubectl.Run(ctx, "get", kind, "-n", shop)
		if err != nil {
			return err
		}
		c.command("kubectl get " + kind + " -n " + shop)
		c.quote(table)
	}
	c.line("")
	err = c.step(ctx, "sam refuses", "and says why", func() error {
		if _, err := c.sam.plugin.Run(ctx, "reject", change.Name, "-n", shop, "--reason", "pas avant la fin des soldes"); err != nil {
			return err
		}
		return c.dora.ended(ctx, task)
	})
	if err != nil {
		return err
	}
	if root := said(task.Status.Conditions, v1alpha1.ConditionSucceeded); root.Reason != v1alpha1.SucceededChangeRejected {
		return fmt.Errorf("the task ended with %s: %s", root.Reason, root.Message)
	}
	c.line("%s %s", c.paint(green, "✓"), local.Headline(task))
	change, err = c.dora.see(ctx, change.Name, "refused", func(change *v1alpha1.ChangeRequest) bool {
		return change.Status.Result == v1alpha1.ResultRejected
	})
	c.line("    %s", said(change.Status.Conditions, v1alpha1.ConditionSucceeded).Message)
	return err
}
