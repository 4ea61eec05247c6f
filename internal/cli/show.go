package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// newShow makes the command show.
func newShow(cmd *command) *cobra.Command {
	var out format
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show an AgentTask: the answer, the findings from root cause to symptoms, and what is missing",
		Example: `  kubectl eclusier show -n shop ask-x7k2p
  kubectl eclusier show -n shop ask-x7k2p -o json`,
		Args:              exactly(1, 1, "NAME"),
		ValidArgsFunction: cmd.completeTasks,
		RunE: func(c *cobra.Command, args []string) error {
			tasks, namespace, err := cmd.tasks()
			if err != nil {
				return err
			}
			task, err := getTask(c, tasks, namespace, args[0])
			if err != nil {
				return err
			}
			if out.structured() {
				return out.write(cmd.Out, task)
			}
			p := newPrinter(cmd.Out, cmd.style())
			cmd.printHead(p, task)
			printOutcome(p, task)
			return p.err
		},
	}
	out.bind(c.Flags(), formatJSON, formatYAML)
	return c
}

// printHead prints what was asked, by whom, and how far it got.
func (cmd *command) printHead(p *printer, task *v1alpha1.AgentTask) {
	w := wordsOf(taskLanguage(task))
	p.line("%s", p.paint(bold, "AgentTask "+task.Namespace+"/"+task.Name))
	p.line("  %s  %s", w.pad(wordQuestion), prompt(task.Spec.Prompt))
	if by := task.Spec.RequestedBy; by != nil {
		p.line("  %s  %s, %s", w.pad(wordAskedBy), oneLine(by.Username), w.say(wordAgo, age(cmd.Now(), task.CreationTimestamp.Time)))
	}
	if class := task.Status.Classification; class != nil {
		p.line("  %s  %s (%s, %s)", w.pad(wordTakenFor), class.Intent, class.Confidence, strings.Join(class.Rules, ", "))
	}
	var targets []string
	for _, t := range task.Status.Targets {
		if t.Object != nil {
			targets = append(targets, object(t.Object.Kind, t.Object.Namespace, t.Object.Name))
		} else {
			targets = append(targets, "Host "+t.Host)
		}
	}
	if len(targets) > 0 {
		p.line("  %s  %s", w.pad(wordAbout), strings.Join(targets, ", "))
	}
	for _, made := range task.Status.ChangeRequests {
		p.line("  %s  kubectl eclusier review %s -n %s", w.pad(wordChange), made.Name, task.Namespace)
	}
	p.line("")
	for _, step := range steps {
		if c := meta.FindStatusCondition(task.Status.Conditions, step); c != nil {
			p.line("  %s", conditionLine(p.style, c))
		}
	}
	p.line("")
}

// taskLanguage returns the language of the task's answer.
func taskLanguage(task *v1alpha1.AgentTask) string {
	if task.Spec.Language != "" {
		return task.Spec.Language
	}
	if c := task.Status.Classification; c != nil {
		return c.Language
	}
	return ""
}

// printOutcome prints the answer with its evidence, or why there is none and what to do.
func printOutcome(p *printer, task *v1alpha1.AgentTask) {
	w := wordsOf(taskLanguage(task))
	if task.Status.Answer != "" {
		p.line("%s", headline(task))
	}
	if f := task.Status.Failure; f != nil {
		p.line("%s", p.paint(red, w.say(wordNoAnswer, oneLine(f.Message))))
		for _, remedy := range f.Remedies {
			p.line("  %s %s", p.sign("→", "->"), oneLine(remedy))
		}
	}
	printStory(p, w, storyOfTask(task))
}

// headline is the answer or, where the findings that it is made of are printed below as trees, its first line.
func headline(task *v1alpha1.AgentTask) string {
	if len(task.Status.Findings) == 0 {
		return safe(task.Status.Answer)
	}
	headline, _, _ := strings.Cut(task.Status.Answer, "\n")
	return oneLine(headline)
}
