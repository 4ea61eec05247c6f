package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// maxOperations is how many operations a ChangeRequest holds.
const maxOperations = 20

// The values of --dry-run.
const (
	dryRunClient = "client"
	dryRunServer = "server"
)

// proposal is one ChangeRequest about to be created.
type proposal struct {
	*command
	reason    string
	name      string
	account   string
	rollback  string
	delivery  string
	notBefore string
	deadline  string
	dryRun    string
	wait      bool
	timeout   time.Duration
	out       format
}

// newChange makes the command change.
func newChange(cmd *command) *cobra.Command {
	g := &proposal{command: cmd}
	var file string
	c := &cobra.Command{
		Use:   "change",
		Short: "Propose a change as a ChangeRequest, which is planned, shown and agreed to before anything happens",
		Long: `Propose a change. What is asked for becomes the operations of one ChangeRequest of the namespace, and is shown before it
is created. The operator then plans it with a dry run; nothing happens before the policies and, as a rule, another
person agree (kubectl eclusier review, approve). With -f, the whole ChangeRequest is read from a file.

--dry-run plans and shows the change and ends there. --dry-run=client prints the ChangeRequest and sends nothing.

Exit codes: 0 the change succeeded (without --wait: it was created), 1 it ended otherwise, 2 wrong usage, no connection,
refused, or not over within --timeout (the change goes on).`,
		Example: `  kubectl eclusier change scale deployment/checkout --replicas 3 -n shop --reason "the sale begins at nine"
  kubectl eclusier change set image deployment/cart cart=registry.example/cart:1.4 --reason "fix the rounding" --wait
  kubectl eclusier change delete pod -l app=worker --reason "stuck since noon" --dry-run --wait
  kubectl eclusier change restart deployment/web --reason "stale cache" --dry-run=client > change.yaml
  kubectl eclusier change -f change.yaml`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if file == "" {
				return c.Help()
			}
			return g.fromFile(c, file)
		},
	}
	c.Flags().StringVarP(&file, "filename", "f", "", "file with the whole ChangeRequest; - is standard input")
	g.bind(c.PersistentFlags())
	c.AddCommand(
		g.applyCommand(), g.createCommand(), g.patchCommand(), g.deleteCommand(), g.scaleCommand(), g.setCommand(),
		g.undoCommand(), g.renameCommand(), g.moveCommand(),
		g.plain("restart KIND/NAME...", "Replace the pods of workloads one after the other", restart),
		g.plain("suspend KIND/NAME...", "Hold CronJobs or Jobs", suspend),
		g.plain("resume KIND/NAME...", "Let held CronJobs or Jobs go on", resume),
		g.nodes("cordon NODE...", "Make nodes refuse new pods", cordon),
		g.nodes("uncordon NODE...", "Let nodes take new pods again", uncordon),
	)
	return c
}

// bind adds the flags that all changes have.
func (g *proposal) bind(flags *pflag.FlagSet) {
	flags.StringVar(&g.reason, "reason", "", "why the change is wanted, for those who have to agree")
	flags.StringVar(&g.name, "name", "", "name of the ChangeRequest; made up if left out")
	flags.StringVar(&g.account, "service-account", "", "service account to make the change as; eclusier-applier if left out")
	flags.StringVar(&g.rollback, "rollback", "", "if applying or checking fails: Automatic (undo it), Manual (ask somebody) or Never")
	flags.StringVar(&g.delivery, "delivery", "", "Direct changes objects even where Argo CD or Flux would revert it; Auto refuses that")
	flags.StringVar(&g.notBefore, "not-before", "", "earliest time to apply: 2026-03-02T22:00:00Z, or a duration from now such as 2h")
	flags.StringVar(&g.deadline, "deadline", "", "latest time to begin applying, written likewise")
	flags.StringVar(&g.dryRun, "dry-run", "", "server: plan and show the change, nothing more; client: print the ChangeRequest and send nothing")
	flags.Lookup("dry-run").NoOptDefVal = dryRunServer
	flags.BoolVarP(&g.wait, "wait", "w", false, "follow the change to its end")
	flags.DurationVar(&g.timeout, "timeout", 0, "how long --wait waits; 0 means to the end, which comes at the latest when consent lapses")
	g.out.bind(flags, formatJSON, formatYAML)
}

// submit makes the ChangeRequest of the operations and creates it.
func (g *proposal) submit(c *cobra.Command, at *site, operations []v1alpha1.Operation) error {
	switch {
	case strings.TrimSpace(g.reason) == "":
		return usage(c, "--reason is missing: say why, for those who have to agree")
	case len(operations) > maxOperations:
		return usage(c, "these are %d operations, and a change has at most %d: narrow it, or make several", len(operations), maxOperations)
	}
	request := &v1alpha1.ChangeRequest{
		ObjectMeta: metav1.ObjectMeta{Namespace: at.namespace},
		Spec:       v1alpha1.ChangeRequestSpec{Kubernetes: v1alpha1.KubernetesChange{Operations: operations}},
	}
	return g.propose(c, at, request)
}

// propose completes the ChangeRequest from the flags, shows it, creates it and, if asked to, sees it to its end.
func (g *proposal) propose(c *cobra.Command, at *site, request *v1alpha1.ChangeRequest) error {
	if err := g.complete(c, request); err != nil {
		return err
	}
	if g.dryRun == dryRunClient {
		return g.printManifest(request)
	}
	requests, err := at.client()
	if err != nil {
		return err
	}
	ctx := c.Context()
	request.Spec.RequestedBy = whoAmI(ctx, requests)
	printProposal(newPrinter(g.Err, g.style()), request)
	if err := requests.Create(ctx, request); err != nil {
		return plainly(err)
	}
	if !g.wait {
		return g.created(request)
	}
	ended, err := g.await(ctx, requests, request)
	if err != nil {
		return err
	}
	return g.outcome(ctx, requests, ended)
}

// complete fills in what the flags say.
func (g *proposal) complete(c *cobra.Command, request *v1alpha1.ChangeRequest) error {
	spec := &request.Spec
	set := func(to *string, value string) {
		if value != "" {
			*to = value
		}
	}
	set(&spec.Reason, g.reason)
	set(&spec.ServiceAccountName, g.account)
	if !choose(g.rollback, &spec.Rollback, v1alpha1.RollbackAutomatic, v1alpha1.RollbackManual, v1alpha1.RollbackNever) {
		return usage(c, "--rollback %q: choose Automatic, Manual or Never", g.rollback)
	}
	if !choose(g.delivery, &spec.Delivery, v1alpha1.DeliveryAuto, v1alpha1.DeliveryDirect) {
		return usage(c, "--delivery %q: choose Auto or Direct", g.delivery)
	}
	switch g.dryRun {
	case "", dryRunClient:
	case dryRunServer:
		spec.DryRun = true
	default:
		return usage(c, "--dry-run=%s: choose server or client", g.dryRun)
	}
	if g.timeout < 0 {
		return usage(c, "--timeout %s: choose 0 (to the end) or more", g.timeout)
	}
	if g.name != "" {
		request.Name, request.GenerateName = g.name, ""
	} else if request.Name == "" && request.GenerateName == "" {
		request.GenerateName = nameOf(spec.Kubernetes.Operations)
	}
	return errors.Join(g.moment(c, "--not-before", g.notBefore, &spec.NotBefore), g.moment(c, "--deadline", g.deadline, &spec.Deadline))
}

// choose stores the one of values that text names in any case. An empty text sets nothing.
func choose[T ~string](text string, to *T, values ...T) bool {
	for _, v := range values {
		if strings.EqualFold(text, string(v)) {
			*to = v
			return true
		}
	}
	return text == ""
}

// moment reads a point in time, or a duration from now.
func (g *proposal) moment(c *cobra.Command, flag, text string, to **metav1.Time) error {
	if text == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		in, wrong := time.ParseDuration(text)
		if wrong != nil || in <= 0 {
			return usage(c, "%s %q: write 2026-03-02T22:00:00Z, or a duration from now such as 2h", flag, text)
		}
		at = g.Now().Add(in).Truncate(time.Second)
	}
	*to = &metav1.Time{Time: at}
	return nil
}

// printManifest prints the ChangeRequest for a file.
func (g *proposal) printManifest(request *v1alpha1.ChangeRequest) error {
	if request.Name == "" {
		// kubectl apply wants a name.
		request.Name, request.GenerateName = strings.TrimSuffix(request.GenerateName, "-"), ""
	}
	out := g.out
	if !out.structured() {
		out = formatYAML
	}
	return out.write(g.Out, manifestOf(request))
}

// created says that the change is on its way.
func (g *proposal) created(request *v1alpha1.ChangeRequest) error {
	if g.out.structured() {
		return g.out.write(g.Out, typedChange(request))
	}
	p := newPrinter(g.Out, g.style())
	p.line("changerequest.eclusier.io/%s created", request.Name)
	p.line("%s", p.paint(dim, fmt.Sprintf("kubectl eclusier review %s -n %s", request.Name, request.Namespace)))
	return p.err
}

// await follows the change until it has ended.
func (g *proposal) await(ctx context.Context, requests client.WithWatch, request *v1alpha1.ChangeRequest) (*v1alpha1.ChangeRequest, error) {
	progress := newProgress(newPrinter(g.Err, g.style()), changeSteps)
	progress.begun("changerequest", request.Name)
	return g.awaitChange(ctx, requests, request, waiting{progress: progress, timeout: g.timeout})
}

// waiting is how a change is followed.
type waiting struct {
	progress *progress
	timeout  time.Duration
}

// awaitChange follows a change until it has ended or the time is up.
func (cmd *command) awaitChange(ctx context.Context, requests client.WithWatch, request *v1alpha1.ChangeRequest, w waiting) (*v1alpha1.ChangeRequest, error) {
	if w.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.timeout)
		defer cancel()
	}
	ended, err := follow(ctx, requests, request, w.progress.show)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, fmt.Errorf("interrupted; the change goes on: kubectl eclusier review %s -n %s", request.Name, request.Namespace)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("not over within %s; the change goes on: kubectl eclusier review %s -n %s", w.timeout, request.Name, request.Namespace)
	case err != nil:
		return nil, err
	}
	return ended.(*v1alpha1.ChangeRequest), nil
}

// outcome prints how the change ended and turns it into the exit code.
func (g *proposal) outcome(ctx context.Context, requests client.Client, request *v1alpha1.ChangeRequest) error {
	switch {
	case g.out.structured():
		if err := g.out.write(g.Out, typedChange(request)); err != nil {
			return err
		}
	case request.Status.Result == v1alpha1.ResultPlanned:
		if err := g.printReview(ctx, requests, request); err != nil {
			return err
		}
	default:
		p := newPrinter(g.Out, g.style())
		printChangeOutcome(p, request)
		if p.err != nil {
			return p.err
		}
	}
	if !succeeded(request) {
		return errNoAnswer
	}
	return nil
}

// typedChange makes a change fit to be printed: see typed.
func typedChange(request *v1alpha1.ChangeRequest) *v1alpha1.ChangeRequest {
	request.ManagedFields = nil
	request.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "ChangeRequest"}
	return request
}
