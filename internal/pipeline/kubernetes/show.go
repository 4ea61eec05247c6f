package kubernetes

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/eclusier/eclusier/internal/change"
	"github.com/eclusier/eclusier/internal/pipeline/kubernetes/manifest"
)

// show writes the diff, and what it hides.
func (it *item) show() error {
	if it.effect.NotDryRun != "" {
		it.note("not dry-run: %s", it.effect.NotDryRun)
	}
	if it.effect.Verb == change.VerbNone {
		return nil
	}
	shown, err := it.compare()
	if err != nil {
		return err
	}
	it.diff = shown.Diff
	if len(shown.Hidden) > maxListed {
		shown.Hidden = append(shown.Hidden[:maxListed-1:maxListed-1], fmt.Sprintf("and %d more", len(shown.Hidden)-maxListed+1))
	}
	if len(shown.Hidden) > 0 {
		it.notShown = append(it.notShown, "what looks like a secret: "+strings.Join(shown.Hidden, ", "))
	}
	it.facts.NotShown = len(it.notShown) > 0
	return nil
}

// compare compares the object before and after. Where the API server alone can tell what it becomes, what is sent is shown
// instead.
func (it *item) compare() (manifest.Comparison, error) {
	if it.effect.Verb == change.VerbUpdate && it.outcome == nil {
		it.notShown = append(it.notShown, "what becomes of it: the API server alone can merge into it what is sent")
		sent, err := decodeMap(it.effect.Request.Body)
		if err != nil {
			return manifest.Comparison{}, err
		}
		return manifest.Sent(label(it.object), sent)
	}
	after := it.after
	if after == nil {
		after = it.guessed
	}
	was, is := manifest.WithAsked(it.before, it.outcome, it.live, after, it.effect.Request.Body)
	return manifest.Compare(label(it.object), was, is)
}

// label names an object in a diff.
func label(o change.Object) string {
	if o.Namespace == "" {
		return o.Kind + "/" + o.Name
	}
	return o.Kind + "/" + o.Namespace + "/" + o.Name
}

// minShare is the least of a deleted object that is worth showing, in characters.
const minShare = 512

// fit makes the diffs together fit into what an approver is shown. What is set must be seen whole, or the change is refused;
// of what is deleted a fair share is enough, since all of it goes.
func fit(items []*item) error {
	whole, deleted, total := 0, 0, 0
	for _, it := range items {
		size := utf8.RuneCountInString(it.diff)
		total += size
		if it.effect.Verb == change.VerbDelete {
			deleted++
		} else {
			whole += size
		}
	}
	if total <= change.MaxDiff {
		return nil
	}
	if whole+deleted*minShare > change.MaxDiff {
		return largest(items).tooLarge(total)
	}
	share := (change.MaxDiff - whole) / deleted
	for _, it := range items {
		if it.effect.Verb == change.VerbDelete {
			it.shorten(share)
		}
	}
	return nil
}

// largest is the operation that takes up most of the diff without being a deletion, or the first of all.
func largest(items []*item) *item {
	found := items[0]
	for _, it := range items {
		if it.effect.Verb != change.VerbDelete && (found.effect.Verb == change.VerbDelete || len(it.diff) > len(found.diff)) {
			found = it
		}
	}
	return found
}

func (it *item) tooLarge(total int) error {
	return it.invalid("the diff of the change is %d characters long, and an approver can be shown %d: split the change (the longest part is %s)",
		total, change.MaxDiff, name(it.object))
}

// shorten cuts the diff of a deletion to so many characters, at the end of a line, and says how much is left out.
func (it *item) shorten(share int) {
	if utf8.RuneCountInString(it.diff) <= share {
		return
	}
	lines := strings.SplitAfter(it.diff, "\n")
	left := func(n int) string {
		return fmt.Sprintf("… %d lines of %s are not shown: all of it is deleted\n", n, name(it.object))
	}
	room, kept := share-utf8.RuneCountInString(left(len(lines))), 0
	for kept < len(lines) && utf8.RuneCountInString(lines[kept]) <= room {
		room -= utf8.RuneCountInString(lines[kept])
		kept++
	}
	rest := strings.TrimSuffix(strings.Join(lines[kept:], ""), "\n")
	it.diff = strings.Join(lines[:kept], "") + left(strings.Count(rest, "\n")+1)
}
