package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/internal/redact"
)

// format is a value of the flag -o.
type format string

const (
	formatText format = "text"
	formatJSON format = "json"
	formatYAML format = "yaml"
)

// formatFlag is the flag -o of a command that knows some formats.
type formatFlag struct {
	value   *format
	allowed []format
}

// String returns the chosen format.
func (f formatFlag) String() string {
	if f.value == nil {
		return ""
	}
	return string(*f.value)
}

// Type names the value in the help.
func (f formatFlag) Type() string { return "format" }

// Set checks and stores the format.
func (f formatFlag) Set(s string) error {
	if !slices.Contains(f.allowed, format(s)) {
		return fmt.Errorf("choose one of %s", names(f.allowed))
	}
	*f.value = format(s)
	return nil
}

// names lists formats for people.
func names(formats []format) string {
	var list []string
	for _, f := range formats {
		list = append(list, string(f))
	}
	return strings.Join(list, ", ")
}

// bind adds the flag -o for the formats that a command knows.
func (f *format) bind(flags *pflag.FlagSet, allowed ...format) {
	flags.VarP(formatFlag{value: f, allowed: allowed}, "output", "o", "output format: "+names(allowed))
}

// structured tells whether the output is for programs.
func (f format) structured() bool { return f == formatJSON || f == formatYAML }

// write prints a value for programs.
func (f format) write(out io.Writer, value any) error {
	if f == formatYAML {
		data, err := yaml.Marshal(value)
		if err != nil {
			return err
		}
		_, err = out.Write(data)
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// style is how text looks.
type style struct {
	color bool
	ascii bool
}

// style returns the style of the standard output.
func (cmd *command) style() style { return style{color: cmd.Color, ascii: cmd.ascii} }

// The colours, as the numbers of a terminal.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// paint colours text where there are colours.
func (s style) paint(color, text string) string {
	if !s.color || text == "" || color == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// sign returns one of two ways to draw the same.
func (s style) sign(unicode, ascii string) string {
	if s.ascii {
		return ascii
	}
	return unicode
}

// printer writes lines. The first error ends all writing and is kept.
type printer struct {
	style
	out io.Writer
	err error
}

func newPrinter(out io.Writer, s style) *printer { return &printer{style: s, out: out} }

// line writes one line. Arguments that hold text of others are made safe by the caller with safe.
func (p *printer) line(format string, args ...any) {
	if p.err != nil {
		return
	}
	_, p.err = fmt.Fprintf(p.out, format+"\n", args...)
}

// safe makes text fit for a terminal: no control characters. The operator and the engine have redacted theirs.
func safe(text string) string { return redact.Clean(text) }

// oneLine makes text safe and joins its lines.
func oneLine(text string) string { return strings.Join(strings.Fields(safe(text)), " ") }

// prompt makes what a person wrote, and nobody has redacted, fit to be shown in one line.
func prompt(text string) string { return oneLine(redact.String(text).String()) }
