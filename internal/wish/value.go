package wish

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/eclusier/eclusier/internal/classify"
)

// maxReplicas is the largest number of replicas that an operation takes.
const maxReplicas = 10000

// fill reads what a slot of a sentence takes at i, and calls then with each way to do so.
func (r *reader) fill(slot string, i int, d draft, then func(int, draft)) {
	switch slot {
	case "<targets>", "<target>":
		r.fillTargets(slot, i, d, then)
		return
	case "<twice>":
		d.step.Change = Twice
		then(i, d)
		return
	case "<half>":
		d.step.Change = Half
		then(i, d)
		return
	}
	if i < r.end && r.joined(i, d.start) && r.value(slot, &r.words[i], &d.step) {
		then(i+1, d)
		return
	}
	r.fail(min(i, r.end))
}

// fillTargets reads the objects that a slot takes at i as fill does.
func (r *reader) fillTargets(slot string, i int, d draft, then func(int, draft)) {
	for _, l := range r.targets(i, d.step.Verb) {
		if r.isWhere(i, d.start, l) {
			r.placed = true
			continue
		}
		if joined := l.end == i || r.joined(i, d.start); joined && (slot == "<targets>" || len(l.names) == 1) {
			filled := d
			filled.names = l.names
			then(l.end, filled)
		}
	}
}

// isWhere tells whether objects at i are named so that they may as well be a namespace: "use image nginx:1.29 in shop",
// "deploy image nginx:1.29 to shop".
func (r *reader) isWhere(i, start int, l list) bool {
	bare := func(n Name) bool { return n.Name != "" && n.Namespace == "" && (n.Kind == "" || n.Kind == "Namespace") }
	if i == start || i >= r.end || r.words[i-1].Quoted || !slices.ContainsFunc(l.names, bare) {
		return false
	}
	switch r.words[i-1].Text {
	case "in", "inside", "within", "dans", "ds":
		return true
	case "to", "on", "onto", "sur", "a", "au":
		return i-1 > start && imageTag.MatchString(r.words[i-2].Raw)
	}
	return false
}

// value reads a slot of one word.
func (r *reader) value(slot string, w *classify.Word, step *Step) bool {
	switch slot {
	case "<image>":
		return r.image(w, step)
	case "<container>":
		step.Container = w.Plain
		return isLabel(w.Plain) && (w.Quoted || !w.Binding && !grammar().literals[w.Plain])
	case "<revision>":
		revision, err := strconv.ParseInt(strings.TrimPrefix(w.Plain, "#"), 10, 32)
		step.Revision = revision
		return err == nil && revision > 0
	}
	number, ok := count(w)
	if slot == "<from>" {
		step.From = number
		return ok
	}
	step.Change, step.Number = changes[slot], number
	return ok && (number > 0 || step.Change == To)
}

// changes are what the slots for a number say of it.
var changes = map[string]Change{"<to>": To, "<up>": Up, "<down>": Down}

// count reads a number of replicas.
func count(w *classify.Word) (int32, bool) {
	if number, ok := numerals[w.Plain]; ok {
		return number, true
	}
	number, err := strconv.ParseUint(w.Plain, 10, 31)
	return int32(number), err == nil && number <= maxReplicas
}

// imageForm is what an image looks like, imageTag a tag or digest at its end.
var (
	imageForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]*$`)
	imageTag  = regexp.MustCompile(`(:[A-Za-z0-9_][A-Za-z0-9._-]*|@sha256:[0-9a-f]{64})$`)
)

// maxImage is the longest image that an operation takes.
const maxImage = 512

// image reads an image. One without tag and digest would be whatever the registry calls the latest: it is not guessed.
func (r *reader) image(w *classify.Word, step *Step) bool {
	name := w.Raw[strings.LastIndexByte(w.Raw, '/')+1:]
	switch {
	case len(w.Raw) > maxImage || !imageForm.MatchString(w.Raw):
		return false
	case !imageTag.MatchString(name):
		if strings.ContainsAny(w.Raw, "/@:") || w.Quoted || classify.IsName(w.Plain) && !w.Binding && !grammar().literals[w.Plain] {
			r.untagged = w.Raw
		}
		return false
	}
	step.Image = w.Raw
	return true
}
