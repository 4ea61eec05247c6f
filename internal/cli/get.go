package cli

import (
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// newGet makes the command get.
func newGet(cmd *command) *cobra.Command {
	var out format
	var all bool
	c := &cobra.Command{
		Use:   "get [NAME]",
		Short: "List AgentTasks, or one of them, in a line each",
		Example: `  kubectl eclusier get -n shop
  kubectl eclusier get -A
  kubectl eclusier get -n shop ask-x7k2p -o yaml`,
		Args:              exactly(0, 1, "NAME"),
		ValidArgsFunction: cmd.completeTasks,
		RunE: func(c *cobra.Command, args []string) error {
			tasks, namespace, err := cmd.tasks()
			if err != nil {
				return err
			}
			if len(args) == 1 {
				task, err := getTask(c, tasks, namespace, args[0])
				if err != nil {
					return err
				}
				return cmd.print(out, task, []v1alpha1.AgentTask{*task}, namesSpace{})
			}
			if all {
				namespace = ""
			}
			list := &v1alpha1.AgentTaskList{}
			if err := tasks.List(c.Context(), list, client.InNamespace(namespace)); err != nil {
				return err
			}
			list.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "AgentTaskList"}
			slices.SortStableFunc(list.Items, func(a, b v1alpha1.AgentTask) int {
				return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
			})
			return cmd.print(out, list, list.Items, namesSpace{all: all, namespace: namespace})
		},
	}
	c.Flags().BoolVarP(&all, "all-namespaces", "A", false, "list the AgentTasks of all namespaces")
	out.bind(c.Flags(), formatJSON, formatYAML)
	return c
}

// getTask reads one task.
func getTask(c *cobra.Command, tasks client.Client, namespace, name string) (*v1alpha1.AgentTask, error) {
	task := &v1alpha1.AgentTask{}
	if err := tasks.Get(c.Context(), client.ObjectKey{Namespace: namespace, Name: name}, task); err != nil {
		return nil, err
	}
	return typed(task), nil
}

// typed makes a task fit to be printed: it says what it is, which clients leave out and programs want, and who wrote which
// field is left out, as kubectl does.
func typed(task *v1alpha1.AgentTask) *v1alpha1.AgentTask {
	task.ManagedFields = nil
	task.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "AgentTask"}
	return task
}

// completeTasks completes the names of tasks.
func (cmd *command) completeTasks(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	tasks, namespace, err := cmd.tasks()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list := &v1alpha1.AgentTaskList{}
	if err := tasks.List(c.Context(), list, client.InNamespace(namespace)); err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name+"\t"+prompt(list.Items[i].Spec.Prompt))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// namesSpace says whose tasks are listed.
type namesSpace struct {
	all       bool
	namespace string
}

// print prints tasks as a table, or value for programs.
func (cmd *command) print(out format, value any, tasks []v1alpha1.AgentTask, of namesSpace) error {
	if out.structured() {
		return out.write(cmd.Out, value)
	}
	if len(tasks) == 0 {
		where := "in namespace " + of.namespace
		if of.all {
			where = "in any namespace"
		}
		_, err := fmt.Fprintf(cmd.Err, "No AgentTasks %s.\n", where)
		return err
	}
	table := tabwriter.NewWriter(cmd.Out, 0, 8, 3, ' ', 0)
	row := func(namespace string, cells ...any) {
		if of.all {
			_, _ = fmt.Fprintf(table, "%s\t", namespace)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", cells...)
	}
	row("NAMESPACE", "NAME", "INTENT", "PHASE", "REASON", "AGE", "ANSWER")
	for i := range tasks {
		t := &tasks[i]
		intent, reason, message := summary(t)
		row(t.Namespace, t.Name, intent, string(t.Status.Phase), reason, age(cmd.Now(), t.CreationTimestamp.Time), message)
	}
	return table.Flush()
}

// summary is what the table says of a task: what it was taken for, and the root condition.
func summary(t *v1alpha1.AgentTask) (intent, reason, message string) {
	if c := t.Status.Classification; c != nil {
		intent = string(c.Intent)
	}
	if root := meta.FindStatusCondition(t.Status.Conditions, v1alpha1.ConditionSucceeded); root != nil {
		reason, message = root.Reason, oneLine(root.Message)
	}
	return intent, reason, message
}

// age is how long ago something was, as kubectl writes it.
func age(now, then time.Time) string {
	if then.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(then))
}
