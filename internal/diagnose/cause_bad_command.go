package diagnose

import (
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// startMessage recognises what the runtime says of a command that cannot be run.
var startMessage = regexp.MustCompile(`exec: "?(?P<name>[^":]+)"?: (?:executable file not found|no such file or directory|stat .*: no such file or directory|permission denied|is a directory)|exec (?P<path>/\S+): (?:no such file or directory|permission denied)` +
	"|executable (?:file )?[`'\"](?P<quoted>[^`'\"]+)[`'\"](?: for container)? not found|(?:finding|find) executable [\"'`](?P<found>[^\"'`]+)|open executable: (?:No such file|Permission denied)" +
	`|starting container process caused|chdir to cwd \("(?P<cwd>[^"]+)"\).*no such file|` + "cannot chdir to [`'](?P<dir>[^`']+)|(?i:no command specified)|CreateProcess: .*cannot find the (?:file|path) specified")

var crashBadCommand = cause{
	id: "CrashBadCommand", severity: High,
	check: func(x *exam) {
		for _, s := range x.open(crashing, waiting, jobFailed) {
			if message, evidence := x.startFailure(s); message != "" && startMessage.MatchString(message) && !strings.Contains(message, "exec format error") {
				x.add(x.badCommand(s, commandWord(message), evidence))
			}
		}
	},
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.badCommand(s, lineWord(h), append([]Evidence{h.evidence()}, x.ending(s)...))
		return &f
	},
	texts: texts{
		english: map[string]string{
			"CrashBadCommand.message": "Container %[1]s of %[2]s is told to run %[3]s, which cannot be run in its image",
			"CrashBadCommand.fix":     "Correct command and args of container %[1]s in %[2]s so that they name something that the image holds and may be executed.",
			"CrashBadCommand.default": "Correct the entry point of the image of container %[1]s in %[2]s, or set a command that the image holds and may be executed.",
		},
		french: map[string]string{
			"CrashBadCommand.message": "Le conteneur %[1]s de %[2]s doit exécuter %[3]s, qui ne peut pas l'être dans son image",
			"CrashBadCommand.fix":     "Corrigez command et args du conteneur %[1]s de %[2]s pour qu'ils nomment quelque chose que l'image contient et qui soit exécutable.",
			"CrashBadCommand.default": "Corrigez le point d'entrée de l'image du conteneur %[1]s de %[2]s, ou donnez une commande que l'image contient et qui soit exécutable.",
		},
	},
}

// startFailure is what the runtime says of a container that could not be started at all.
func (x *exam) startFailure(s *symptom) (string, []Evidence) {
	for _, p := range s.pods {
		for _, c := range statuses(p) {
			if s.container != "" && c.Name != s.container {
				continue
			}
			if message := refusedStart(&c); message != "" {
				return message, x.ending(&symptom{work: s.work, pods: []*corev1.Pod{p}, container: c.Name, init: s.init})
			}
			if message := refusedCreation(&c); message != "" {
				return message, x.waitingEvidence(p, &c)
			}
		}
		if e := x.lastEvent(podRefs([]*corev1.Pod{p}), "Failed", "FailedCreate"); e != nil && saidByRuntime(e.Message) {
			return e.Message, []Evidence{event(e)}
		}
	}
	return "", nil
}

// saidByRuntime says that an event repeats the words of a container runtime about a start.
func saidByRuntime(message string) bool {
	return strings.Contains(message, "OCI runtime") || startMessage.MatchString(message)
}

// refusedStart is the message of an end that came before the process ran.
func refusedStart(c *corev1.ContainerStatus) string {
	if t := termination(c); t != nil && (t.Reason == "StartError" || t.Reason == "ContainerCannotRun") {
		return t.Message
	}
	return ""
}

// refusedCreation is why a container waits that the runtime did not create or start.
func refusedCreation(c *corev1.ContainerStatus) string {
	if w := c.State.Waiting; w != nil && (w.Reason == "RunContainerError" || w.Reason == "CreateContainerError") {
		return w.Message
	}
	return ""
}

func commandWord(message string) string {
	m := startMessage.FindStringSubmatch(message)
	for i, group := range startMessage.SubexpNames() {
		if group != "" && m[i] != "" {
			return m[i]
		}
	}
	return "?"
}

func (x *exam) badCommand(s *symptom, what string, evidence []Evidence) Finding {
	f := Finding{
		Cause: "CrashBadCommand", Object: s.work.ref, Evidence: evidence, links: links{explains: []*symptom{s}, weak: s.weak()},
		Message: x.say("CrashBadCommand.message", s.container, s.work.ref.String(), what),
		Fix:     x.say("CrashBadCommand.default", s.container, s.work.ref.String()),
	}
	c := s.spec()
	if c == nil {
		return f
	}
	if len(c.Command) > 0 {
		f.Evidence = append(f.Evidence, x.containerField(s, "command", strings.Join(c.Command, " ")))
	}
	if len(c.Args) > 0 {
		f.Evidence = append(f.Evidence, x.containerField(s, "args", strings.Join(c.Args, " ")))
	}
	if len(c.Command)+len(c.Args) > 0 {
		f.Fix = x.say("CrashBadCommand.fix", s.container, s.work.ref.String())
	}
	return f
}
