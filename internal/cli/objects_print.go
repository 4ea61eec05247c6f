package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/inventory"
)

// answered is an answer about objects for programs.
type answered struct {
	Answer any `json:"answer"`
	// Missing names what could not be looked at, so that its absence from the answer proves nothing.
	Missing []string `json:"missing"`
}

func (o *objects) structured(seen *cluster.Snapshot, answer any) error {
	return o.out.write(o.Out, answered{Answer: answer, Missing: append([]string{}, missingIn(seen)...)})
}

// printPage prints a list, a line each, and says what it does not show.
func printPage[T any](o *objects, seen *cluster.Snapshot, page inventory.Page[T], text func(T) string) error {
	if o.out.structured() {
		return o.structured(seen, page)
	}
	p := newPrinter(o.Out, o.style())
	for _, item := range page.Items {
		p.line("%s", strings.TrimRight(safeLine(text(item)), " "))
	}
	if page.Total == 0 {
		p.line("nothing found")
	}
	printCut(p, len(page.Items), page.Total)
	printUnseen(p, seen)
	return p.err
}

// safeLine makes text fit for one line of a terminal and keeps its columns.
func safeLine(text string) string {
	return strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(safe(text))
}

func printCut(p *printer, shown, total int) {
	if total > shown {
		p.line("%s", p.paint(yellow, fmt.Sprintf("%d of %d are shown; narrow the question to see others", shown, total)))
	}
}

func printUnseen(p *printer, seen *cluster.Snapshot) {
	if missing := missingIn(seen); len(missing) > 0 {
		p.line("%s", p.paint(yellow, "not seen: "+oneLine(strings.Join(missing, ", "))))
	}
}

// unseen says why an object may not be there.
func unseen(seen *cluster.Snapshot) string {
	if missing := missingIn(seen); len(missing) > 0 {
		return "; not seen: " + strings.Join(missing, ", ")
	}
	return ""
}

// missingIn names what was wanted and could not be read, each once. What files do not hold was never to be had, and a
// kind that the cluster does not serve has no objects.
func missingIn(seen *cluster.Snapshot) []string {
	var list []string
	for _, g := range seen.Gaps {
		if g.Reason == cluster.GapNotInDump || g.Reason == cluster.GapNotFound {
			continue
		}
		what := g.Resource
		if what == "" {
			what = strings.TrimSpace(string(g.Want.What) + " " + g.Want.Namespace + " " + g.Want.Name)
		} else if g.Want.Namespace != "" {
			what += " of " + g.Want.Namespace
		}
		if what += " (" + string(g.Reason) + ")"; !slices.Contains(list, what) {
			list = append(list, what)
		}
	}
	return list
}
