package diagnose

import (
	"regexp"
	"slices"
	"strings"

	"github.com/eclusier/eclusier/internal/cluster"
)

var initContainerFailing = cause{
	id: "InitContainerFailing", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(crashing, unready) {
			if s.init && !x.sidecarOf(s) {
				x.add(x.initFault(s))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"InitContainerFailing.message": "Init container %[1]s of %[2]s fails, so the main containers never start: %[3]s",
			"InitContainerFailing.waits":   "Init container %[1]s of %[2]s does not finish, so the main containers never start: %[3]s",
			"InitContainerFailing.fix":     "Repair what init container %[1]s of %[2]s stumbles over (see the lines cited); the pods go on by themselves once it succeeds.",
			"InitContainerFailing.fixUndo": "Repair what init container %[1]s of %[2]s stumbles over (see the lines cited), or go back to revision %[3]s; check first whether it has changed data that the former version does not understand.",
		},
		french: map[string]string{
			"InitContainerFailing.message": "Le conteneur d'initialisation %[1]s de %[2]s échoue, les conteneurs principaux ne démarrent donc jamais : %[3]s",
			"InitContainerFailing.waits":   "Le conteneur d'initialisation %[1]s de %[2]s ne se termine pas, les conteneurs principaux ne démarrent donc jamais : %[3]s",
			"InitContainerFailing.fix":     "Corrigez ce sur quoi le conteneur d'initialisation %[1]s de %[2]s échoue (voir les lignes citées) ; les pods reprendront d'eux-mêmes ensuite.",
			"InitContainerFailing.fixUndo": "Corrigez ce sur quoi le conteneur d'initialisation %[1]s de %[2]s échoue (voir les lignes citées), ou revenez à la révision %[3]s ; vérifiez d'abord s'il a modifié des données que l'ancienne version ne comprend pas.",
		},
	},
}

func (x *exam) initFault(s *symptom) Finding {
	f := Finding{Cause: "InitContainerFailing", Object: s.work.ref, links: links{explains: x.alsoStalled(s)}}
	word := "?"
	if h, ok := best(x.hitsOf(s)); ok {
		word = lineWord(h)
		f.Evidence = append(f.Evidence, x.context(h)...)
		if h.sig.rank == dependency {
			f.links.needs = x.peers(s.work, h)
		}
	} else if last := x.lastLine(s); last != nil {
		word = last.text
		f.Evidence = append(f.Evidence, last.cite(0))
	}
	if len(f.links.needs) == 0 {
		f.links.needs = x.initCalls(s)
	}
	f.Evidence = append(f.Evidence, x.ending(s)...)
	if c := s.spec(); c != nil {
		f.Evidence = append(f.Evidence, x.containerField(s, "name", c.Name))
		if cmd := strings.Join(slices.Concat(c.Command, c.Args), " "); cmd != "" {
			f.Evidence = append(f.Evidence, x.containerField(s, "command", cmd))
		}
	}
	text := "InitContainerFailing.message"
	if s.kind == unready {
		text = "InitContainerFailing.waits"
	}
	f.Message = x.say(text, s.container, s.work.ref.String(), word)
	f.Fix = x.say("InitContainerFailing.fix", s.container, s.work.ref.String())
	if former := s.work.formerSet(); former != nil && s.ofNewRevision() {
		f.Fix = x.say("InitContainerFailing.fixUndo", s.container, s.work.ref.String(), number(revision(former)))
		f.Operation = undoOperation(s.work.ref, revision(former))
	}
	return f
}

// wordInCommand finds what may be the name of a service in a command.
var wordInCommand = regexp.MustCompile(`[a-z][a-z0-9-]+`)

// initCalls are the Services that the init container itself is told of.
func (x *exam) initCalls(s *symptom) []cluster.Ref {
	c := s.spec()
	if c == nil {
		return nil
	}
	found := map[cluster.Ref]bool{}
	x.containerCalls(s.work, c, found)
	for _, a := range slices.Concat(c.Command, c.Args) {
		for _, word := range wordInCommand.FindAllString(strings.ToLower(a), 64) {
			if r := ref("Service", s.work.namespace(), word); x.exists(r) {
				found[r] = true
			}
		}
	}
	var out []cluster.Ref
	for r := range found {
		out = append(out, r)
	}
	slices.SortFunc(out, compareRefs)
	return out
}
