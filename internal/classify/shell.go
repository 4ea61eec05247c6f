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
	for at < to && r.leadsToLine(at) {
		at++
	}
	if at == to {
		return false
	}
	t := &r.tokens[at]
	if t.opaque {
		return at > from && r.effect(r.text[t.start:t.end])
	}
	if _, ok := tools[t.text]; !ok || asks && at == from || r.saysMore(at+1, to) {
		return false
	}
	line, _, _ := strings.Cut(r.text[t.start:], "\n")
	return r.effect(line)
}

// leadsToLine tells whether the word at i can stand before a command line: "please run kubectl …".
func (r *reading) leadsToLine(i int) bool {
	t := &r.tokens[i]
	return t.is(isSkip|isPolite|isGo) || t.text == "$" || strings.Contains(running, " "+t.text+" ")
}

// saysMore tells whether the words of a sentence are more than those of a command line.
func (r *reading) saysMore(from, to int) bool {
	for i := from; i < to; i++ {
		if t := &r.tokens[i]; t.is(isBe|isState|isAsk|isSaid|isIf|isHypo) && !t.is(isRead|isInfo) && !t.isTarget {
			return true
		}
	}
	return false
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
	effect, executes := shellNone, false
	for i, w := range args {
		if i > 0 && strings.Contains(valued, " "+args[i-1]+" ") {
			continue
		}
		switch {
		case rehearses(w):
			return shellRehearses
		case strings.Contains(executing, " "+w+" "):
			executes = true
		case executes && strings.Contains(entering, " "+w+" "):
			return shellUnknown
		case effect == shellNone:
			effect = t.subcommand(w)
		}
	}
	if effect == shellNone {
		effect = t.bare
	}
	if executes && effect <= shellReads {
		return shellUnknown
	}
	return effect
}

// rehearses tells whether an option asks for a dry run.
func rehearses(option string) bool {
	name, value, _ := strings.Cut(option, "=")
	return name == "--dry-run" && value != "none" || option == "--check"
}

// subcommand returns the effect of a subcommand or an option, none if it is not known.
func (t tool) subcommand(word string) shellEffect {
	option, _, _ := strings.Cut(word, "=")
	switch {
	case strings.Contains(t.reads, " "+word+" "):
		return shellReads
	case strings.Contains(t.changes, " "+option+" "):
		return shellChanges
	}
	return shellNone
}
