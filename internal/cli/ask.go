package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// ask is one question about to be put.
type ask struct {
	*command
	wait     bool
	timeout  time.Duration
	name     string
	intent   string
	targets  []string
	language string
	account  string
	out      format
}

// newAsk makes the command ask.
func newAsk(cmd *command) *cobra.Command {
	a := &ask{command: cmd}
	c := &cobra.Command{
		Use:   "ask TEXT",
		Short: "Put a question as an AgentTask",
		Long: `Put a question in plain words, in English or French, as an AgentTask of the namespace. With --wait, show how far it
gets and print the answer with its evidence; without, return at once. TEXT - reads the question from standard input.

Exit codes: 0 the task has an answer (without --wait: it was created), 1 it ended without one, 2 wrong usage, no
connection, refused, or no answer within --timeout (the task goes on).`,
		Example: `  kubectl eclusier ask -n shop --wait "Why does web not start?"
  kubectl eclusier ask -n shop --wait "Pourquoi web ne démarre pas ?" -o json
  kubectl eclusier ask -n shop "Is everything all right?" --target deployment/web --target service/web`,
		Args: exactly(1, 1, "TEXT"),
		RunE: func(c *cobra.Command, args []string) error { return a.run(c, args[0]) },
	}
	flags := c.Flags()
	flags.BoolVarP(&a.wait, "wait", "w", false, "wait for the answer and print it")
	flags.DurationVar(&a.timeout, "timeout", 5*time.Minute, "how long --wait waits; 0 means without end")
	flags.StringVar(&a.name, "name", "", "name of the AgentTask; made up if left out")
	flags.StringVar(&a.intent, "intent", "", "what TEXT wants: Auto, Diagnostic (nothing may be changed) or Change")
	flags.StringArrayVar(&a.targets, "target", nil, "what TEXT is about, as KIND/NAME or KIND/NAMESPACE/NAME; may be repeated")
	flags.StringVar(&a.language, "language", "", "language of the answer, en or fr; that of TEXT if left out")
	flags.StringVar(&a.account, "service-account", "", "service account to read as; eclusier-reader if left out")
	a.out.bind(flags, formatJSON, formatYAML)
	return c
}

// run creates the task and, if asked to, sees it to its end.
func (a *ask) run(c *cobra.Command, text string) error {
	spec, err := a.spec(c, text)
	if err != nil {
		return err
	}
	tasks, namespace, err := a.tasks()
	if err != nil {
		return err
	}
	ctx := c.Context()
	spec.RequestedBy = whoAmI(ctx, tasks)
	task := &v1alpha1.AgentTask{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: a.name},
		Spec:       *spec,
	}
	if a.name == "" {
		task.GenerateName = "ask-"
	}
	if err := tasks.Create(ctx, task); err != nil {
		return err
	}
	if !a.wait {
		return a.created(task)
	}
	ended, err := a.await(ctx, tasks, task)
	if err != nil {
		return err
	}
	return a.answer(ended)
}

// spec makes the task's spec from the flags.
func (a *ask) spec(c *cobra.Command, text string) (*v1alpha1.AgentTaskSpec, error) {
	if text == "-" {
		data, err := io.ReadAll(io.LimitReader(a.In, 1<<20))
		if err != nil {
			return nil, err
		}
		text = string(data)
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, usage(c, "the question is empty")
	}
	if a.timeout < 0 {
		return nil, usage(c, "--timeout %s: choose 0 (without end) or more", a.timeout)
	}
	if len(text) > v1alpha1.MaxPromptBytes {
		return nil, usage(c, "the question is longer than %d bytes: leave the log out, the operator reads it itself", v1alpha1.MaxPromptBytes)
	}
	spec := &v1alpha1.AgentTaskSpec{Prompt: text, Language: a.language, ServiceAccountName: a.account}
	for _, intent := range []v1alpha1.Intent{v1alpha1.IntentAuto, v1alpha1.IntentDiagnostic, v1alpha1.IntentChange} {
		if strings.EqualFold(a.intent, string(intent)) {
			spec.Intent = intent
		}
	}
	if a.intent != "" && spec.Intent == "" {
		return nil, usage(c, "--intent %q: choose Auto, Diagnostic or Change", a.intent)
	}
	for _, t := range a.targets {
		target, ok := taskTarget(t)
		if !ok {
			return nil, usage(c, "--target %q: write it as KIND/NAME or KIND/NAMESPACE/NAME", t)
		}
		spec.Targets = append(spec.Targets, target)
	}
	return spec, nil
}

// whoAmI returns the caller's name as the API server sees it. Servers that stamp it need none, those that do not refuse
// a task without: an error here shows there.
func whoAmI(ctx context.Context, c client.Client) *v1alpha1.Requester {
	me := self(ctx, c)
	if me == nil {
		return nil
	}
	return &v1alpha1.Requester{Username: me.Username, UID: me.UID}
}

// maxGroups is how many groups v1alpha1.Decider holds.
const maxGroups = 500

// self returns the caller as the API server sees them, or nil where it does not tell.
func self(ctx context.Context, c client.Client) *v1alpha1.Decider {
	review := &authenticationv1.SelfSubjectReview{}
	if err := c.Create(ctx, review); err != nil || review.Status.UserInfo.Username == "" {
		return nil
	}
	me := review.Status.UserInfo
	return &v1alpha1.Decider{Username: me.Username, UID: me.UID, Groups: me.Groups[:min(len(me.Groups), maxGroups)]}
}

// created says that the task is on its way.
func (a *ask) created(task *v1alpha1.AgentTask) error {
	if a.out.structured() {
		return a.out.write(a.Out, typed(task))
	}
	p := newPrinter(a.Out, a.style())
	p.line("agenttask.eclusier.io/%s created", task.Name)
	p.line("%s", p.paint(dim, fmt.Sprintf("kubectl eclusier show %s -n %s", task.Name, task.Namespace)))
	return p.err
}

// await watches the task until it has ended, and reports on the way.
func (a *ask) await(ctx context.Context, tasks client.WithWatch, task *v1alpha1.AgentTask) (*v1alpha1.AgentTask, error) {
	progress := newProgress(newPrinter(a.Err, a.style()), steps)
	progress.begun("agenttask", task.Name)
	if a.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.timeout)
		defer cancel()
	}
	ended, err := follow(ctx, tasks, task, progress.show)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, fmt.Errorf("interrupted; the task goes on: kubectl eclusier show %s -n %s", task.Name, task.Namespace)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("no answer within %s; the task goes on: kubectl eclusier show %s -n %s", a.timeout, task.Name, task.Namespace)
	case err != nil:
		return nil, err
	}
	return ended.(*v1alpha1.AgentTask), nil
}

// answer prints how the task ended and turns it into the exit code.
func (a *ask) answer(task *v1alpha1.AgentTask) error {
	if a.out.structured() {
		if err := a.out.write(a.Out, typed(task)); err != nil {
			return err
		}
	} else {
		p := newPrinter(a.Out, a.style())
		printOutcome(p, task)
		if p.err != nil {
			return p.err
		}
	}
	if !succeeded(task) {
		return errNoAnswer
	}
	return nil
}
