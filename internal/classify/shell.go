package classify

import "strings"

// shellEffect is what a command line would do.
type shellEffect uint8

const (
	shellNone shellEffect = iota
	shellUnknown
	shellReads
	shellRehearses
	shellChanges
)

// tool says which subcommands of a program only read and which change something; the rest is unknown.
type tool struct {
	reads, changes string
	// bare is the effect without a known subcommand.
	bare shellEffect
}

const kubeReads = " get describe logs log top explain diff version api-resources api-versions cluster-info wait events can-i view status history current-context get-contexts whoami config list inspect "
const kubeChanges = " delete apply create edit patch scale replace label annotate taint cordon uncordon drain run expose autoscale set restart undo pause resume approve deny evict cp new-app adm "

var tools = map[string]tool{
	"kubectl":          {kubeReads, kubeChanges, shellUnknown},
	"oc":               {kubeReads, kubeChanges, shellUnknown},
	"helm":             {" list ls status history get template show search lint diff version ", " install upgrade rollback uninstall delete ", shellUnknown},
	"terraform":        {" plan show validate output list fmt version graph providers ", " apply destroy import taint untaint rm mv push force-unlock ", shellUnknown},
	"tofu":             {" plan show validate output list fmt version graph providers ", " apply destroy import taint untaint rm mv push force-unlock ", shellUnknown},
	"ansible-playbook": {" --list-tasks --list-hosts --syntax-check ", " ", shellChanges},
	"argocd":           {" get diff history list manifests resources logs ", " sync delete set rollback create patch terminate-op ", shellUnknown},
	"flux":             {" get logs events tree diff check stats trace ", " reconcile suspend resume delete create bootstrap uninstall ", shellUnknown},
	"systemctl":        {" status is-active is-enabled is-failed show cat list-units list-timers list-unit-files list-dependencies ", " restart start stop reload enable disable mask unmask kill daemon-reload reboot poweroff isolate set-property ", shellUnknown},
	"docker":           {" ps logs inspect stats images top info version diff history events port ", " rm rmi stop start kill restart run prune pull push build update pause unpause ", shellUnknown},
	"git":              {" log status diff show blame branch remote fetch describe reflog ", " push commit revert reset merge rebase cherry-pick checkout tag ", shellUnknown},
	"apt":              {" list show search policy ", " install remove purge upgrade full-upgrade autoremove update ", shellUnknown},
	"apt-get":          {" ", " install remove purge upgrade dist-upgrade autoremove update clean ", shellUnknown},
	"yum":              {" list info search history ", " install remove update upgrade erase downgrade ", shellUnknown},
	"dnf":              {" list info search history ", " install remove update upgrade erase downgrade ", shellUnknown},
	"df":               {bare: shellReads}, "du": {bare: shellReads}, "ps": {bare: shellReads}, "free": {bare: shellReads},
	"journalctl": {" ", " --vacuum-size --vacuum-time --rotate ", shellReads}, "dmesg": {bare: shellReads}, "netstat": {bare: shellReads},
	"lsof": {bare: shellReads}, "dig": {bare: shellReads}, "nslookup": {bare: shellReads}, "uptime": {bare: shellReads},
}

// shellLine notes the command line that the sentence at from is, or that it tells to run. A sentence that asks or
// states something about a command is none.
func (r *reading) shellLine(from, to int, asks bool) bool {
	at := from
	for at < to && (r.tokens[at].is(isSkip|isPolite|isGo) || strings.Contains(running, " "+r.tokens[at].text+" ") || r.tokens[at].text == "$") {
		at++
	}
	if at == to {
		return false
	}
	t := &r.tokens[at]
	if t.opaque {
		return at > from && r.effect(r.text[t.start:t.end])
	}
	if _, ok := tools[t.text]; !ok || asks && at == from {
		return false
	}
	for i := at + 1; i < to; i++ {
		if w := &r.tokens[i]; w.is(isBe|isState|isAsk|isSaid|isIf|isHypo) && !w.is(isRead|isInfo) && !w.isTarget {
			return false
		}
	}
	line := r.text[t.start:]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	return r.effect(line)
}

// parts cuts a line at pipes, semicolons and "&&" into its commands.
func parts(line string) []string {
	return strings.FieldsFunc(strings.ToLower(line), func(c rune) bool {
		return c == '|' || c == ';' || c == '`' || c == '&' || c == '(' || c == ')' || c == '\n'
	})
}

// effect keeps the gravest effect of the command lines seen.
func (r *reading) effect(line string) bool {
	gravest := shellNone
	for _, part := range parts(line) {
		gravest = max(gravest, partEffect(strings.Fields(strings.ReplaceAll(part, `"`, " "))))
	}
	r.shell = max(r.shell, gravest)
	return gravest != shellNone
}

// partEffect judges one command, which may follow "sudo" or "xargs".
func partEffect(words []string) shellEffect {
	for i, w := range words {
		if t, ok := tools[w]; ok {
			return t.effect(words[i+1:])
		}
	}
	return shellNone
}

// valued are the options whose value is the next word, which is no subcommand whatever it says.
const valued = " -n --namespace --context -l --selector -f --filename -c --container --kubeconfig "

// executing are the subcommands that run something else, entering those of them that change it.
const (
	executing = " exec attach ssh port-forward debug "
	entering  = " rm mv kill pkill sh -c truncate chmod chown dd tee reboot "
)

// effect judges the arguments of a program by its first known subcommand: "get job restart" reads.
func (t tool) effect(args []string) shellEffect {
	effect, executes, known := t.bare, false, false
	for i, w := range args {
		if i > 0 && strings.Contains(valued, " "+args[i-1]+" ") {
			continue
		}
		option, value, _ := strings.Cut(w, "=")
		switch {
		case option == "--dry-run" && value != "none", w == "--check":
			return shellRehearses
		case strings.Contains(executing, " "+w+" "):
			executes = true
		case executes && strings.Contains(entering, " "+w+" "):
			return shellUnknown
		case !known && strings.Contains(t.reads, " "+w+" "):
			effect, known = shellReads, true
		case !known && strings.Contains(t.changes, " "+option+" "):
			effect, known = shellChanges, true
		}
	}
	if executes && effect <= shellReads {
		return shellUnknown
	}
	return effect
}
