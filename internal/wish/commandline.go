package wish

import (
	"slices"
	"strconv"
	"strings"

	"github.com/eclusier/eclusier/internal/classify"
)

// options are what a command line says beside its arguments.
type options struct {
	namespace string
	replicas  bool
	// patch says that the operation is that of a patch.
	patch bool
}

// commands are those that a command line may begin with, options aside.
var commands = []string{"scale", "rollout", "set", "delete", "cordon", "uncordon", "patch"}

// isKubectl tells whether the word at i is kubectl, or what people call it by who type it all day: "k rollout restart".
func (r *reader) isKubectl(i int) bool {
	return i < r.end && (r.words[i].Text == "kubectl" || r.words[i].Plain == "k" && r.follows(i+1) && (slices.Contains(commands, r.words[i+1].Plain) || strings.HasPrefix(r.words[i+1].Plain, "-")))
}

// commandLine reads the rest of the sentence as a command of kubectl. An option that changes what the command does, and
// that no operation has, is not understood.
func (r *reader) commandLine(i int) []found {
	var arguments []int
	var said options
	step := Step{From: -1}
	for at := i + 1; at < r.end; at++ {
		switch end := r.option(at, &step, &said); {
		case !r.follows(at), end == at && strings.HasPrefix(r.words[at].Plain, "-"):
			r.fail(at)
			return nil
		case end > at:
			at = end - 1
		default:
			arguments = append(arguments, at)
		}
	}
	names := r.command(arguments, &step, said)
	if len(names) == 0 || said.replicas != (step.Verb == Scale && !said.patch) || step.Revision > 0 && step.Verb != Undo {
		r.fail(i)
		return nil
	}
	return []found{{r.end, draft{step: step, names: names}.steps(said.namespace, "")}}
}

// option reads an option at i, with its value, and returns the index after it; i if it is none that is understood.
func (r *reader) option(i int, step *Step, said *options) int {
	if namespace, end := r.flag(i); namespace != "" {
		said.namespace = namespace
		return end
	}
	if r.ofPatch(i) {
		return r.patchOption(i, step, said)
	}
	option, value, given := strings.Cut(r.words[i].Plain, "=")
	end := i + 1
	if !given && r.follows(end) {
		value = r.words[end].Plain
		end++
	}
	number, err := strconv.ParseInt(value, 10, 32)
	switch {
	case err != nil:
	case option == "--replicas" && number >= 0 && number <= maxReplicas:
		step.Change, step.Number, said.replicas = To, int32(number), true
		return end
	case option == "--to-revision" && number > 0:
		step.Revision = number
		return end
	}
	return i
}

// ofPatch tells whether the option at i is one of "kubectl patch".
func (r *reader) ofPatch(i int) bool {
	option, _, _ := strings.Cut(r.words[i].Plain, "=")
	return slices.Contains([]string{"-p", "--patch", "--type"}, option)
}

// patchOption reads an option of "kubectl patch" as option does. A JSON patch is not understood.
func (r *reader) patchOption(i int, step *Step, said *options) int {
	option, value, given := strings.Cut(r.words[i].Raw, "=")
	end := i + 1
	if !given && r.follows(end) {
		value = r.words[end].Raw
		end++
	}
	switch {
	case option == "--type" && (value == "merge" || value == "strategic"):
		return end
	case option != "--type" && !said.patch && patches(strings.Trim(value, "'"), step):
		said.patch = true
		return end
	}
	return i
}

// command reads the arguments of a command line: its verb into step, unless a patch has said it, and the objects.
func (r *reader) command(arguments []int, step *Step, said options) []Name {
	if len(arguments) > 1 && r.words[arguments[0]].Plain == "patch" && said.patch {
		return r.objects(arguments[1:], "")
	}
	if said.patch {
		return nil
	}
	verbs := []struct {
		words []string
		verb  Verb
		kind  string
	}{
		{[]string{"scale"}, Scale, ""}, {[]string{"rollout", "restart"}, Restart, ""}, {[]string{"rollout", "undo"}, Undo, ""},
		{[]string{"set", "image"}, SetImage, ""}, {[]string{"delete"}, Delete, ""}, {[]string{"cordon"}, Cordon, "Node"}, {[]string{"uncordon"}, Uncordon, "Node"},
	}
	for _, v := range verbs {
		if len(arguments) <= len(v.words) || !slices.EqualFunc(arguments[:len(v.words)], v.words, func(at int, word string) bool { return r.words[at].Plain == word }) {
			continue
		}
		step.Verb = v.verb
		arguments = arguments[len(v.words):]
		if v.verb == SetImage {
			container, image, ok := strings.Cut(r.words[arguments[len(arguments)-1]].Raw, "=")
			if !ok || !isLabel(container) || !r.image(&classify.Word{Raw: image, Plain: image}, step) {
				return nil
			}
			step.Container = container
			arguments = arguments[:len(arguments)-1]
		}
		return r.objects(arguments, v.kind)
	}
	return nil
}

// objects reads "deployment web api", "deploy/web sts/db" and, where the command says the kind, "worker-3".
func (r *reader) objects(arguments []int, kind string) []Name {
	if len(arguments) > 1 && kind == "" {
		if kind = r.words[arguments[0]].Kind; kind != "" {
			arguments = arguments[1:]
		}
	}
	var names []Name
	for _, at := range arguments {
		name := slashed(&r.words[at])
		switch {
		case name.Kind != "" && name.Namespace == "":
		case kind != "" && r.couldBeName(at) && !r.words[at].Binding:
			name = Name{Kind: kind, Name: r.words[at].Plain}
		default:
			r.fail(at)
			return nil
		}
		names = append(names, name)
	}
	return names
}
