package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// evidenceShown is how many pieces of evidence fit on a screen; kubectl eclusier show prints all.
const evidenceShown = 3

// screen prints for people: colors only on a terminal, and not where NO_COLOR asks for none.
type screen struct {
	out   io.Writer
	color bool
}

func newScreen(file *os.File) *screen {
	info, err := file.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	return &screen{out: file, color: terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

const (
	bold  = "1"
	dim   = "2"
	red   = "31"
	green = "32"
	cyan  = "36"
)

func (s *screen) paint(code, text string) string {
	if !s.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s *screen) line(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, format+"\n", args...)
}

func (s *screen) title(text string) {
	s.line("%s\n", s.paint(bold, text))
}

// step announces what is being done, does it, and says how long it took.
func (s *screen) step(ctx context.Context, name, what string, do func() error) error {
	_, _ = fmt.Fprintf(s.out, "  %s %-58s ", s.paint(bold, fmt.Sprintf("%-14s", name)), what)
	began := time.Now()
	if err := do(); err != nil {
		if ctx.Err() != nil {
			s.line("%s", s.paint(dim, "stopped"))
			return err
		}
		s.line("%s", s.paint(red, "failed"))
		return err
	}
	s.line("%s", s.paint(dim, seconds(time.Since(began))))
	return nil
}

func (s *screen) question(text string) {
	s.line("%s %s", s.paint(cyan, "?"), s.paint(bold, text))
}

// answer prints the headline, the root causes with the first of their evidence, and what to do.
func (s *screen) answer(headline string, task *v1alpha1.AgentTask, took time.Duration, wrong string) {
	mark := s.paint(green, "✓")
	if wrong != "" {
		mark = s.paint(red, "✗")
	}
	s.line("%s %s  %s", mark, headline, s.paint(dim, seconds(took)))
	for _, finding := range task.Status.Findings {
		if finding.Role != v1alpha1.RoleRootCause {
			continue
		}
		for _, evidence := range finding.Evidence[:min(evidenceShown, len(finding.Evidence))] {
			s.line("    · %s  %s", clip(evidence.Text, 90), s.paint(dim, clip(evidence.Source, 90)))
		}
		if finding.Fix != "" {
			s.line("    → %s", finding.Fix)
		}
	}
	if wrong != "" {
		s.line("    %s", s.paint(red, "wrong: "+wrong))
	}
	s.line("")
}

// command prints what is run.
func (s *screen) command(line string) {
	s.line("\n  %s", s.paint(bold, "$ "+line))
}

// quote prints what a command printed.
func (s *screen) quote(text string) {
	for line := range strings.Lines(text) {
		s.line("  %s %s", s.paint(dim, "│"), s.diffLine(cut(strings.TrimRight(line, "\n"), 140)))
	}
}

// diffLine paints what a diff adds and takes away.
func (s *screen) diffLine(text string) string {
	switch {
	case strings.HasPrefix(text, "+ ") || strings.HasPrefix(text, "+++"):
		return s.paint(green, text)
	case strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "---"):
		return s.paint(red, text)
	}
	return text
}

// cut shortens a line to at most width characters and keeps its blanks.
func cut(line string, width int) string {
	if runes := []rune(line); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return line
}

func seconds(d time.Duration) string {
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// clip shortens a text to one line of at most width characters.
func clip(text string, width int) string {
	return cut(strings.Join(strings.Fields(text), " "), width)
}
