package wish

import (
	"slices"
	"strconv"
	"strings"

	"github.com/eclusier/eclusier/internal/classify"
)

// commandLine reads the rest of the sentence as a command of kubectl. An option that changes what the command does, and
// that no operation has, is not understood.
func (r *reader) commandLine(i int) []found {
	var arguments []string
	step, namespace := Step{From: -1}, ""
	replicas := false
	for at := i + 1; at < r.end; at++ {
		if !r.follows(at) {
			r.fail(at)
			return nil
		}
		here := at
		option, value, given := strings.Cut(r.words[at].Plain, "=")
		if !strings.HasPrefix(option, "-") {
			arguments = append(arguments, r.words[at].Raw)
			continue
		}
		if !given {
			if at++; at < r.end {
				value = r.words[at].Plain
			}
		}
		number, err := strconv.ParseInt(value, 10, 32)
		switch {
		case (option == "-n" || option == "--namespace") && isLabel(value):
			namespace = value
		case option == "--replicas" && err == nil && number >= 0 && number <= maxReplicas:
			step.Change, step.Number, replicas = To, int32(number), true
		case option == "--to-revision" && err == nil && number > 0:
			step.Revision = number
		default:
			r.fail(here)
			return nil
		}
	}
	names := r.command(arguments, &step)
	if len(names) == 0 || replicas != (step.Verb == Scale) || step.Revision > 0 && step.Verb != Undo {
		r.fail(i)
		return nil
	}
	return []found{{r.end, draft{step: step, names: names}.steps(namespace, "")}}
}

// command reads the arguments of a command line: its verb into step, and the objects.
func (r *reader) command(arguments []string, step *Step) []Name {
	verbs := []struct {
		words []string
		verb  Verb
		kind  string
	}{
		{[]string{"scale"}, Scale, ""}, {[]string{"rollout", "restart"}, Restart, ""}, {[]string{"rollout", "undo"}, Undo, ""},
		{[]string{"set", "image"}, SetImage, ""}, {[]string{"delete"}, Delete, ""}, {[]string{"cordon"}, Cordon, "Node"}, {[]string{"uncordon"}, Uncordon, "Node"},
	}
	for _, v := range verbs {
		if len(arguments) <= len(v.words) || !slices.Equal(arguments[:len(v.words)], v.words) {
			continue
		}
		step.Verb = v.verb
		arguments = arguments[len(v.words):]
		if v.verb == SetImage {
			container, image, ok := strings.Cut(arguments[len(arguments)-1], "=")
			if !ok || !isLabel(container) || !r.image(&classify.Word{Raw: image, Plain: image}, step) {
				return nil
			}
			step.Container = container
			arguments = arguments[:len(arguments)-1]
		}
		return objects(arguments, v.kind)
	}
	return nil
}

// objects reads "deployment web api", "deploy/web sts/db" and, where the command says the kind, "worker-3".
func objects(arguments []string, kind string) []Name {
	if len(arguments) > 1 && kind == "" && !strings.Contains(arguments[0], "/") {
		if kind = classify.KindOf(arguments[0]); kind == "" {
			return nil
		}
		arguments = arguments[1:]
	}
	var names []Name
	for _, argument := range arguments {
		of, name := kind, argument
		if head, tail, ok := strings.Cut(argument, "/"); ok {
			of, name = classify.KindOf(head), tail
		}
		if of == "" || !classify.IsName(name) {
			return nil
		}
		names = append(names, Name{Kind: of, Name: name})
	}
	return names
}
