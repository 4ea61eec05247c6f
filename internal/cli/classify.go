package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/internal/classify"
)

// classification is one line of output.
type classification struct {
	Text       *string                `json:"text,omitempty"`
	Intent     string                 `json:"intent"`
	Confidence float64                `json:"confidence"`
	Rule       string                 `json:"rule"`
	Rules      []string               `json:"rules"`
	Targets    []classificationTarget `json:"targets"`
	Namespace  string                 `json:"namespace,omitempty"`
	Language   string                 `json:"language,omitempty"`
	// WholeCluster: the text asks about the cluster as a whole, or all namespaces.
	WholeCluster bool   `json:"wholeCluster,omitempty"`
	InScope      bool   `json:"inScope"`
	Scope        string `json:"scopeReason,omitempty"`
}

// classificationTarget is an object or host named in the text.
type classificationTarget struct {
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Host      string `json:"host,omitempty"`
}

// newClassify makes the command classify.
func newClassify(cmd *command) *cobra.Command {
	var file string
	out := formatJSON
	c := &cobra.Command{
		Use:   "classify TEXT | -f FILE",
		Short: "Say what a text would be taken for: a question or a change, about what",
		Long: `Say what a text would be taken for: Diagnostic, Change or Ambiguous, how surely, by which rule, and what it names. No
cluster is needed. With -f, every line of the file (- is standard input) is a text and gives one JSON object in a line.
Strictly below a confidence of 0.7 a task would not be worked on; an unsure text is never taken for a change.`,
		Example: `  kubectl eclusier classify "restart web in shop"
  kubectl eclusier classify -f questions.txt
  tail -f questions.txt | kubectl eclusier classify -f -`,
		Args: exactly(0, 1, "TEXT"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && file != "":
				return usage(c, "give TEXT or -f, not both")
			case len(args) == 1:
				return cmd.classifyOne(out, args[0])
			case file == "":
				return usage(c, "TEXT or -f FILE is missing")
			}
			return cmd.classifyFile(c, out, file)
		},
	}
	c.Flags().StringVarP(&file, "filename", "f", "", "file with one text a line; - is standard input")
	out.bind(c.Flags(), formatJSON, formatYAML)
	return c
}

// classifyOne prints the classification of one text.
func (cmd *command) classifyOne(out format, text string) error {
	return writeClassification(cmd.Out, out, classificationOf(text))
}

// classifyFile prints a classification for each line, as soon as it has been read.
func (cmd *command) classifyFile(c *cobra.Command, out format, file string) error {
	in := cmd.In
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return err
		}
		defer func() { _ = opened.Close() }() // it was only read
		in = opened
	}
	reader, writer := bufio.NewReader(in), bufio.NewWriter(cmd.Out)
	for c.Context().Err() == nil {
		line, err := reader.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		last := err != nil
		if last && line == "" {
			break
		}
		text := strings.TrimRight(line, "\r\n")
		one := classificationOf(text)
		one.Text = &text
		if err := writeClassification(writer, out, one); err != nil {
			return err
		}
		if reader.Buffered() == 0 {
			if err := writer.Flush(); err != nil {
				return err
			}
		}
		if last {
			break
		}
	}
	return errors.Join(c.Context().Err(), writer.Flush())
}

// classificationOf classifies a text.
func classificationOf(text string) classification {
	r := classify.Classify(text)
	one := classification{
		Intent: string(r.Intent), Confidence: math.Round(r.Confidence*1e4) / 1e4, Rules: append([]string{}, r.Rules...),
		Targets: []classificationTarget{}, Namespace: r.Namespace, Language: r.Language, WholeCluster: r.WholeCluster, InScope: r.InScope, Scope: r.ScopeReason,
	}
	if len(r.Rules) > 0 {
		one.Rule = r.Rules[0]
	}
	for _, t := range r.Targets {
		one.Targets = append(one.Targets, classificationTarget{Kind: t.Kind, Namespace: t.Namespace, Name: t.Name, Host: t.Host})
	}
	return one
}

// writeClassification writes one classification: a line of JSON, or a YAML document.
func writeClassification(w io.Writer, out format, one classification) error {
	if out == formatYAML {
		data, err := yaml.Marshal(one)
		if err != nil {
			return err
		}
		_, err = w.Write(append([]byte("---\n"), data...))
		return err
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(one)
}
