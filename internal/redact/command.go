package redact

import (
	"strings"
)

// argument says how a command takes a secret.
type argument int

const (
	// next: the word behind the flag.
	next argument = iota
	// nextPair: the word behind the flag, user:password or user%password.
	nextPair
	// attached: the rest of the word that the flag begins.
	attached
	// positional: the first word that is no flag, behind the subcommand.
	positional
	// second: the second word that is no flag, behind the subcommand.
	second
	// last: the last word of the line.
	last
	// likely: every word that looks like a secret.
	likely
)

// command is a program that takes a secret in a way its flags do not tell.
type command struct {
	names []string
	// sub is a word that must follow, empty if none.
	sub   string
	flags []string
	arg   argument
}

// commands are the programs that people run in clusters and on hosts.
var commands = []command{
	{[]string{"curl"}, "", []string{"-u", "--user", "-U", "--proxy-user"}, nextPair},
	{[]string{"curl"}, "", []string{"-u"}, attached},
	{[]string{"wget2", "http", "https", "xh"}, "", []string{"-a", "--auth"}, nextPair},
	{[]string{"docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "oras", "crane", "regctl", "az", "oc", "argocd", "cf"}, "login", []string{"-p"}, next},
	{[]string{"sshpass", "mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "cqlsh", "cassandra", "clickhouse-client"}, "", []string{"-p"}, next},
	{[]string{"sshpass", "mysql", "mysqldump", "mysqladmin", "mysqlcheck", "mariadb", "mariadb-dump", "mariadb-admin", "7z"}, "", []string{"-p"}, attached},
	{[]string{"redis-cli", "valkey-cli", "keydb-cli"}, "", []string{"-a"}, next},
	{[]string{"ldapsearch", "ldapadd", "ldapmodify", "ldapwhoami", "ldappasswd", "ldapdelete"}, "", []string{"-w", "-s"}, next},
	{[]string{"sqlcmd", "bcp", "impala-shell", "zip", "unzip"}, "", []string{"-P"}, next},
	{[]string{"smbclient", "rpcclient", "net"}, "", []string{"-U"}, nextPair},
	{[]string{"snmpget", "snmpwalk", "snmpset"}, "", []string{"-A", "-X", "-c"}, next},
	{[]string{"ipmitool"}, "", []string{"-P"}, next},
	{[]string{"openssl"}, "", []string{"-passin", "-passout", "-pass", "-k"}, nextPair},
	{[]string{"vault", "bao"}, "login", nil, positional},
	{[]string{"rabbitmqctl"}, "add_user", nil, second},
	{[]string{"rabbitmqctl"}, "change_password", nil, second},
	{[]string{"AUTH"}, "", nil, likely},
	{[]string{"htpasswd"}, "-b", nil, last}, {[]string{"htpasswd"}, "-nb", nil, last}, {[]string{"htpasswd"}, "-nbB", nil, last},
	{[]string{"htpasswd"}, "-bc", nil, last}, {[]string{"htpasswd"}, "-cb", nil, last}, {[]string{"htpasswd"}, "-nbBC", nil, last},
}

// commandsByName finds commands by the name of their program.
var commandsByName = func() map[string][]*command {
	index := map[string][]*command{}
	for i := range commands {
		for _, name := range commands[i].names {
			index[name] = append(index[name], &commands[i])
		}
	}
	return index
}()

// maxWords bounds the words of one line that are looked at as a command.
const maxWords = 256

// findCommands hides the secrets in command lines and in lines of password files.
func findCommands(sc *scanner) {
	s := sc.text
	for i := 0; i < len(s); {
		end := lineEnd(s, i)
		sc.pgpass(i, end)
		if strings.Contains(s[i:end], " -") || strings.Contains(s[i:end], "login") || strings.Contains(s[i:end], "AUTH") ||
			strings.Contains(s[i:end], "_") {
			sc.commandLine(sc.wordsOf(i, end))
		}
		i = end + 1
	}
}

// wordsOf splits a line into the words of a shell, as far as quotes without escapes go.
func (sc *scanner) wordsOf(i, end int) []span {
	s := sc.text
	var list []span
	for i < end && len(list) < maxWords {
		switch {
		case oneOf(s[i], " \t,[(`"):
			i++
		case isQuote(s[i]):
			to := sc.quotedWord(i, end)
			if to > i {
				list = append(list, span{i + 1, to})
				i = to
			}
			i++
		default:
			from := i
			i = sc.wordEnd(i, end)
			list = append(list, span{from, sc.trimWord(from, i)})
		}
	}
	return list
}

// quotedWord returns where the quoted word that starts at i ends, i if the quote rather encloses a whole command.
func (sc *scanner) quotedWord(i, end int) int {
	s := sc.text
	n := strings.IndexByte(s[i+1:end], s[i])
	if n < 0 || !closes(s, i+n+2) || strings.Contains(s[i+1:i+1+n], " -") {
		return i
	}
	return i + 1 + n
}

// wordEnd returns where the shell word that starts at i ends; in a flag, a quoted part may hold blanks.
func (sc *scanner) wordEnd(i, end int) int {
	s, flag := sc.text, sc.text[i] == '-'
	for i < end && s[i] != ' ' && s[i] != '\t' {
		if flag && isQuote(s[i]) {
			if n := strings.IndexByte(s[i+1:end], s[i]); n >= 0 && closes(s, i+n+2) {
				i += n + 1
			}
		}
		i++
	}
	return i
}

// trimWord returns where the word text[from:to] ends without the punctuation of what it is embedded in.
func (sc *scanner) trimWord(from, to int) int {
	for s := sc.text; to > from+1; to-- {
		c := s[to-1]
		if c != ',' && c != ';' && c != ']' && c != '}' && !(isQuote(c) && strings.IndexByte(s[from:to-1], c) < 0) {
			break
		}
	}
	return to
}

// program returns the name of the program that the word w may start, without its path and what stands before it.
func (sc *scanner) program(w span) string {
	name := sc.text[w.from:w.to]
	return name[strings.LastIndexAny(name, "/\"'`=(:;\\")+1:]
}

// commandLine looks for known programs among the words of a line.
func (sc *scanner) commandLine(list []span) {
	for i, w := range list {
		name := sc.text[w.from:w.to]
		if sc.fromLiteral(name, w, list[:i]) {
			continue
		}
		if name == "--password-stdin" {
			sc.piped(list[:i])
		}
		for _, c := range commandsByName[sc.program(w)] {
			sc.run(c, list[i+1:])
		}
	}
}

// piped hides what is echoed into a program that reads a password from its input.
func (sc *scanner) piped(list []span) {
	for i, w := range list {
		if name := sc.program(w); name != "echo" && name != "printf" {
			continue
		}
		for _, arg := range list[i+1:] {
			text := sc.text[arg.from:arg.to]
			if text == "|" {
				return
			}
			if !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "%s") && !isPlaceholder(text) && !isVariable(text) {
				sc.hide(arg.from, arg.to)
			}
		}
	}
}

// isVariable tells whether a word is a variable of the shell.
func isVariable(word string) bool {
	name, ok := strings.CutPrefix(word, "$")
	return ok && isUpperName(name)
}

// fromLiteral hides the value of --from-literal where a Secret is created, whatever its key is called.
func (sc *scanner) fromLiteral(word string, w span, before []span) bool {
	const flag = "--from-literal="
	if !strings.HasPrefix(word, flag) && (len(before) == 0 || sc.text[before[len(before)-1].from:before[len(before)-1].to] != flag[:len(flag)-1]) {
		return false
	}
	secret := false
	for _, b := range before {
		secret = secret || sc.text[b.from:b.to] == "secret"
	}
	pair := strings.TrimPrefix(word, flag)
	if eq := strings.IndexByte(pair, '='); secret && eq >= 0 && !isPlaceholder(pair[eq+1:]) {
		sc.hide(w.to-len(pair)+eq+1, w.to)
	}
	return true
}

// shellOperators end the arguments of a command.
var shellOperators = words("| || && ;")

// run hides the secrets among the arguments of a command.
func (sc *scanner) run(c *command, args []span) {
	if c.sub != "" {
		at := sc.indexOf(args, c.sub)
		if at < 0 || at > 6 {
			return
		}
		args = args[at+1:]
	}
	for i, a := range args {
		if shellOperators[sc.text[a.from:a.to]] {
			args = args[:i]
			break
		}
	}
	switch c.arg {
	case positional, second, last:
		sc.runPositional(c, args)
	case likely:
		for _, a := range args {
			if secretLike(sc.text[a.from:a.to]) {
				sc.hide(a.from, a.to)
			}
		}
	default:
		sc.runFlags(c, args)
	}
}

// runPositional hides the argument that is the secret by its place.
func (sc *scanner) runPositional(c *command, args []span) {
	var plain []span
	for _, a := range args {
		if sc.text[a.from] != '-' {
			plain = append(plain, a)
		}
	}
	place := map[argument]int{positional: 0, second: 1, last: len(plain) - 1}[c.arg]
	if place >= 0 && place < len(plain) {
		sc.argument(plain[place])
	}
}

// runFlags hides the arguments of the flags that take a secret.
func (sc *scanner) runFlags(c *command, args []span) {
	for i, a := range args {
		text := sc.text[a.from:a.to]
		switch {
		case c.arg == attached:
			if c.flagIn(text) && len(text) > 2 && !oneOf(text[2], "-=") {
				sc.pairArgument(span{a.from + 2, a.to}, text[1] == 'u')
			}
		case c.flagIn(text) && i+1 < len(args):
			sc.pairArgument(args[i+1], c.arg == nextPair)
		}
	}
}

// flagIn tells whether word is one of the command's flags, or begins with one where the secret is attached.
func (c *command) flagIn(word string) bool {
	for _, f := range c.flags {
		if word == f || c.arg == attached && strings.HasPrefix(word, f) {
			return true
		}
	}
	return false
}

// indexOf returns the index of the first of args that is word, -1 if none is.
func (sc *scanner) indexOf(args []span, word string) int {
	for i, a := range args {
		if sc.text[a.from:a.to] == word {
			return i
		}
	}
	return -1
}

// argument hides one argument unless it is only a placeholder or a path.
func (sc *scanner) argument(a span) {
	if a.to-a.from < 2 {
		return
	}
	if quote := sc.text[a.from]; isQuote(quote) && sc.text[a.to-1] == quote {
		a.from, a.to = a.from+1, a.to-1
	}
	if text := sc.text[a.from:a.to]; judge(text, classPassword, false) && !strings.HasPrefix(text, "-") {
		sc.hide(a.from, a.to)
	}
}

// pairArgument hides the part of an argument behind the user's name.
func (sc *scanner) pairArgument(a span, pair bool) {
	if pair {
		n := strings.IndexAny(sc.text[a.from:a.to], ":%")
		if n < 0 {
			return
		}
		a.from += n + 1
	}
	sc.argument(a)
}

// pgpass hides the last field of a line host:port:database:user:password.
func (sc *scanner) pgpass(from, end int) {
	if end-from > 512 || strings.Count(sc.text[from:end], ":") != 4 {
		return
	}
	line := strings.TrimRight(sc.text[from:end], " \t")
	fields := strings.Split(line, ":")
	port, last := fields[1], fields[4]
	if strings.ContainsAny(line, " \t\"") || port != "*" && !(isDigits(port) && len(port) >= 2) || isDigits(fields[0]) ||
		!judge(last, classPassword, false) || fields[0] == "" || fields[3] == "" {
		return
	}
	sc.hide(from+len(line)-len(last), from+len(line))
}
