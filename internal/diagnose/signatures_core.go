package diagnose

import (
	"regexp"
	"strings"
)

func re(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }

// hostPort is the address of a peer as errors print it.
const hostPort = `(?P<peer>\[?[A-Za-z0-9_.:-]*[A-Za-z0-9]\]?(?::\d{1,5})?)`

// refusedWords are what systems call a refused connection, in the languages in which they are often installed.
var refusedWords = []string{
	"connection refused", "econnrefused", "connexion refusée", "connexion refusee", "verbindungsaufbau abgelehnt", "verbindung verweigert", "conexión rehusada", "conexión rechazada", "connessione rifiutata", "conexão recusada", "ligação recusada", "połączenie odrzucone", "verbinding geweigerd",
}

// refusedSignatures are the ways in which programs say that nobody listens where they call.
var refusedSignatures = []signature{
	{name: "go dial refused", cause: "CrashDependencyRefused", rank: dependency, words: []string{"refused"},
		re: re(`dial (?:tcp|udp)[46]? ` + hostPort + `: connect: connection refused`)},
	{name: "node refused", cause: "CrashDependencyRefused", rank: dependency, words: []string{"econnrefused"},
		re: re(`ECONNREFUSED:?\s+(?:Connection refused:? )?` + hostPort)},
	{name: "libpq refused in another language", cause: "CrashDependencyRefused", rank: dependency, words: refusedWords,
		re: re(`(?i)(?:server at|serveur sur|serveur à|server auf|host|hôte) ["«»']*\s?(?P<peer>[a-z0-9_.:-]*[a-z0-9])["«»' ]+(?:\([^)]*\))?,? ?(?:port|puerto|porta) (?P<port>\d+)[^\n]{0,80}?(?:` + strings.Join(refusedWords, "|") + `)`)},
	{name: "libpq refused", cause: "CrashDependencyRefused", rank: dependency, words: []string{"refused"},
		re: re(`(?:server at|host) "` + hostPort + `"[^\n]{0,60}[Cc]onnection refused`)},
	{name: "connection refused to an address", cause: "CrashDependencyRefused", rank: dependency, words: []string{"refused"},
		re: re(`(?i)(?:connect(?:ing|ion)? to|https?://|to host|host=|addr(?:ess)?=|server=)\s*\(?["']?` + hostPort + `\b.{0,80}?refused`)},
	{name: "connection refused by an address", cause: "CrashDependencyRefused", rank: dependency, words: []string{"refused"},
		re: re(`(?i)connection refused(?: by| to| on|:| \(errno 111\):?)+\s*(?:no further information: )?(?:[a-z]+\.[\w-]+/)?/?` + hostPort)},
	{name: "connection refused", cause: "CrashDependencyRefused", rank: dependency, words: refusedWords,
		re: re(`(?i)` + strings.Join(refusedWords, "|"))},
}

// variableSignatures are the ways in which programs say that a variable is not set.
var variableSignatures = []signature{
	{name: "python missing variable", cause: "CrashMissingEnv", rank: decisive, words: []string{"keyerror"},
		re: re(`KeyError: ['"](?P<name>[A-Z][A-Z0-9_]+)['"]`)},
	{name: "ruby missing variable", cause: "CrashMissingEnv", rank: decisive, words: []string{"key not found"},
		re: re(`key not found: ["']?(?P<name>[A-Z][A-Z0-9_]+)`)},
	{name: "shell unbound variable", cause: "CrashMissingEnv", rank: decisive, words: []string{"unbound variable", "parameter null or not set", "parameter not set"},
		re: re(`(?P<name>[A-Za-z_][A-Za-z0-9_]*): (?:unbound variable|parameter (?:null or )?not set)`)},
	{name: "go envconfig", cause: "CrashMissingEnv", rank: decisive, words: []string{"missing value"},
		re: re(`required key (?P<name>[A-Z][A-Z0-9_]+) missing value`)},
	{name: "spring placeholder", cause: "CrashMissingEnv", rank: decisive, words: []string{"could not resolve placeholder"},
		re: re(`Could not resolve placeholder '(?P<name>[\w.-]+)'`)},
	{name: "image entry point asks for a variable", cause: "CrashMissingEnv", rank: decisive, words: []string{"you must specify", "you need to specify", "must be specified"},
		re: re(`(?:[Yy]ou (?:must|need to) specify|^\s*-)\s+(?:one of )?(?P<name>[A-Z][A-Z0-9]*_[A-Z0-9_]+)`)},
	{name: "settings class without a field", cause: "CrashMissingEnv", rank: decisive, words: []string{"type=missing", "type=value_error.missing"},
		re: re(`(?i)field required \[?\(?type=(?:value_error\.)?missing`)},
	{name: "settings struct without a field", cause: "CrashMissingEnv", rank: decisive, words: []string{"missing value for field", "srcfg00014", "set the ", "please set ", "please define "},
		re: re("missing value for field [`'\"]?(?P<name>[A-Za-z][A-Za-z0-9_]+)|SRCFG00014: .{0,20}property (?P<value>[\\w.-]+) is required|(?i:(?:set|define) the )(?P<file>[A-Z][A-Z0-9_]{2,})(?i: environment variable)")},
	{name: "variable in process.env", cause: "CrashMissingEnv", rank: decisive, words: []string{"process.env."},
		re: re(`process\.env\.(?P<name>[A-Z][A-Z0-9_]+)\b.{0,20}(?:undefined|not set|missing|required)`)},
	{name: "missing variable named after the words", cause: "CrashMissingEnv", rank: decisive, words: []string{"env", "variable"},
		re: re(`(?i:missing|required|undefined|unset|empty|unable to find|could not fetch|no|not set|must set|please set)\b.{0,40}\b(?i:env(?:ironment)?[ _-]?(?:var(?:iable)?s?)?|variables?)\b[^A-Z\n]{0,24}[:"'\s(` + "`" + `\[](?P<name>[A-Z][A-Z0-9_]{2,})\b`)},
	{name: "variable named before the words", cause: "CrashMissingEnv", rank: decisive,
		words: []string{"not set", "unset", "required", "missing", "undefined", "not defined", "must be set", "must be defined", "must be provided", "is empty", "be empty", "not found"},
		re:    re(`(?:^|[\s"':(` + "`" + `$\[])(?P<name>[A-Z][A-Z0-9]*_[A-Z0-9_]+)["'` + "`" + `)\]}]*\s+(?:env(?:ironment)?(?: var(?:iable)?)?\s+)?(?:(?:is|was|are|must be|has to be|needs to be|should be|must not be|cannot be|should not be)\s+)*(?:not (?:be )?(?:set|defined|found|provided|specified|configured)|unset|required|missing|undefined|set|defined|provided|empty)\b`)},
	{name: "environment variable named between", cause: "CrashMissingEnv", rank: decisive, words: []string{"env"},
		re: re(`(?i:env(?:ironment)?[ _-]?(?:var(?:iable)?)?)\s*:?\s*["'` + "`" + `$]?(?P<name>[A-Z][A-Z0-9_]{2,})["'` + "`" + `]?\s+(?i:(?:is |was |must be )?(?:not set|unset|required|missing|undefined|not defined|not found|empty|set)|(?:should|must|can)(?:not| not) be empty)`)},
}

// configSignatures are the ways in which programs reject what they are configured with.
var configSignatures = []signature{
	{name: "nginx configuration", cause: "CrashBadConfig", rank: decisive, words: []string{"[emerg]"}, unless: []string{"permission denied", "host not found in upstream", "address already in use", "no such file", "read-only file system"},
		re: re(`\[emerg\][^:]*: (?P<value>.+?(?: in (?P<file>/\S+?):\d+)?$)`)},
	{name: "haproxy configuration", cause: "CrashBadConfig", rank: decisive, words: []string{"parsing ["},
		re: re(`parsing \[(?P<file>/[^\]:]+):\d+\]\s*:?\s*(?P<value>.+)`)},
	{name: "yaml", cause: "CrashBadConfig", rank: decisive, words: []string{"yaml: ", "yaml.parser", "yaml.scanner", "yamlexception", "invalid yaml", "scannererror", "parsererror"},
		re: re(`yaml: (?:line \d+|unmarshal errors|did not find|mapping values|found|control characters)[^\n]*|yaml\.(?:parser|scanner)\.\w+|(?i:YAMLException|invalid YAML)[^\n]*`)},
	{name: "json configuration", cause: "CrashBadConfig", rank: likely, words: []string{"in json at position", "jsondecodeerror", "looking for beginning of", "cannot unmarshal"},
		re: re(`Unexpected (?:token|end)[^\n]* JSON[^\n]*|JSONDecodeError: [^\n]+|invalid character [^\n]+ looking for beginning of [^\n]+|json: cannot unmarshal [^\n]+`)},
	{name: "toml or ini", cause: "CrashBadConfig", rank: decisive, words: []string{"tomldecodeerror", "toml: ", "configparser."},
		re: re(`TOMLDecodeError: [^\n]+|toml: [^\n]+|configparser\.\w+Error: [^\n]+`)},
	{name: "settings class with a wrong value", cause: "CrashBadConfig", rank: decisive, words: []string{"[type=", "(type="},
		re: re(`(?i)[^\n]*[\[(]type=(?:value_error|\w+_(?:parsing|type|error|short|long|mismatch)|enum|literal_error|extra_forbidden|greater_than|less_than)\b`)},
	{name: "unknown flag", cause: "CrashBadConfig", rank: decisive, words: []string{"flag", "option", "argument", "unknown command", "unknown subcommand"},
		re: re(`(?i)(?:unknown (?:shorthand )?flag|flag provided but not defined|unrecognized (?:option|arguments?)|unknown (?:command-line )?(?:option|argument)|unknown (?:sub)?command|unexpected argument|invalid (?:option|argument|value) ["'<].{0,80}(?:for|flag)|unrecognized VM option|Found argument '[^']+' which wasn't expected|the following arguments are required)[^\n]*`)},
	{name: "unknown directive or setting", cause: "CrashBadConfig", rank: decisive, words: []string{"unknown directive", "invalid command", "unknown variable", "unrecognized configuration", "bad directive", "config file error", "unknown setting", "unknown configuration", "configuration file", "unknown key", "unsupported config", "invalid setting", "unknown field"},
		re: re(`(?i)(?:unknown directive|Invalid command '[^']+', perhaps misspelled|unknown variable '|unrecognized configuration (?:parameter|setting|option)|Bad directive or wrong number|FATAL CONFIG FILE ERROR|unknown settings?|unknown configuration|configuration file "(?P<file>[^"]+)" contains errors|unknown key|unsupported config|invalid setting|unknown field)[^\n]*`)},
	{name: "coredns plugin", cause: "CrashBadConfig", rank: decisive, words: []string{"plugin/", "corefile:"},
		re: re(`^(?:\[?(?:ERROR|FATAL)\]? )?(?:plugin/[a-z]+: (?:not an|unknown|unable to|no |invalid|wrong|expected)[^\n]*|[^\s]*Corefile:\d+ - Error during parsing[^\n]*)`)},
	{name: "configuration is invalid", cause: "CrashBadConfig", rank: decisive, words: []string{"config", "settings", "propert"}, unless: []string{"connection refused", "no such host", "permission denied", "i/o timeout", "secret", "kubeconfig", "validation error for ", "validation errors for "},
		re: re(`(?i)(?:(?:invalid|bad|malformed|broken|illegal|wrong|incorrect|unsupported) (?:\w+ )?(?:config(?:uration)?|settings?|propert(?:y|ies))|(?:fail(?:ed|ure)?|error|unable|could not|cannot|can't)\b.{0,30}\b(?:pars(?:e|ing)|load(?:ing)?|read(?:ing)?|validat(?:e|ing|ion)|decod(?:e|ing)|bind|unmarshal(?:ing|ling)?|process(?:ing)?)\b.{0,30}\b(?:config(?:uration)?|settings|propert(?:y|ies))|config(?:uration)?(?: file)?\b.{0,60}\b(?:is |has |contains? )?(?:invalid|errors?|not valid|malformed|failed validation)|ConfigException|ConfigurationError|config(?:uration)? validation (?:failed|error))[^\n]*`)},
	{name: "configuration file is not there", cause: "CrashBadConfig", rank: likely, words: []string{"no such file", "enoent", "not found", "filenotfound", "nosuchfile", "does not exist"},
		re: re(`(?i)(?P<file>/[\w./-]*(?:conf|config|settings|\.ya?ml|\.json|\.toml|\.ini|\.properties|\.cfg)[\w./-]*)["']?.{0,40}(?:no such file|not found|does not exist)|(?:ENOENT|FileNotFoundError|NoSuchFileException|FileNotFoundException).{0,60}?(?P<path>/[\w./-]*(?:conf|config|settings|\.ya?ml|\.json|\.toml|\.ini|\.properties|\.cfg)[\w./-]*)`)},
}

// fileSignatures are the ways in which runtimes report files, disks and rights.
var fileSignatures = []signature{
	{name: "read-only file system", cause: "ReadOnlyFilesystem", rank: decisive, words: []string{"read-only file", "read only file", "erofs", "readonlyfilesystem", "filesystem is read-only"},
		re: re(`(?i)[^\s"']*["']?(?P<file>/[\w./-]+)?["']?[^/\n]{0,40}(?:read[- ]only file ?system|EROFS|ReadOnlyFileSystemException|filesystem is read-only)`)},
	{name: "disk full", cause: "DiskFullInContainer", rank: decisive, words: []string{"no space left", "enospc", "disk full", "disk is full", "disk quota exceeded", "not enough space", "not enough disk space", "flood-stage watermark", "out of disk space"}, unless: []string{"inotify", "file watchers", "shared memory"},
		re: re(`(?i)(?:no space left on device|ENOSPC|disk(?: is)? full|Disk quota exceeded|not enough (?:disk )?space|flood-stage watermark|out of disk space)`)},
	{name: "permission denied", cause: "CrashPermissionDenied", rank: decisive, words: []string{"permission denied", "eacces", "eperm", "operation not permitted", "accessdenied", "access denied", "permissionerror", "wrong ownership", "invalid permissions", "must be owned by", "unauthorizedaccess"},
		unless: []string{"publickey", "password", "access denied for user", "403", "s3", "forbidden", "rpc error", "oauth", "token", "amazonaws"},
		re:     re(`(?i)(?:permission denied|EACCES|EPERM|operation not permitted|AccessDeniedException|access denied|PermissionError|wrong ownership|invalid permissions|must be owned by|UnauthorizedAccessException)`)},
	{name: "file is not there", cause: "CrashMissingFile", rank: likely, words: []string{"no such file", "enoent", "filenotfound", "nosuchfile", "errno::enoent"},
		re: re(`(?i)(?:["'\s](?P<file>/[\w./-]+)["']?.{0,60}no such file or directory|ENOENT|FileNotFoundError|FileNotFoundException|NoSuchFileException|no such file or directory)`)},
}

// processSignatures are the ways in which runtimes report commands, ports, memory and architecture.
var processSignatures = []signature{
	{name: "exec format error", cause: "ImageArchMismatch", rank: decisive, words: []string{"exec format error", "cannot execute binary file", "wrong elf class"},
		re: re(`(?i)exec format error|cannot execute binary file|wrong ELF class`)},
	{name: "command not found", cause: "CrashBadCommand", rank: decisive, words: []string{"not found", "can't open file", "cannot find module", "could not find or load main class", "unable to access jarfile", "no such file or directory", "could not open input file", "no module named"},
		re: re(`(?:^|: )(?:line \d+: |\d+: )?(?P<name>[\w./-]+): (?:command )?not found$|^exec:? "?(?P<file>[\w./-]+)"?(?: failed)?: (?:not found|[Nn]o such file or directory)|\[FATAL tini[^\]]*\] exec (?P<value>\S+) failed: No such file|can't open file '[^']+'|Cannot find module '/[^']+'$|Could not find or load main class \S+|Unable to access jarfile \S+|Could not open input file: \S+|python[\d.]*: No module named \S+|^(?:/bin/)?(?:ba|da|z)?sh: (?:\d+: )?[\w./-]+: (?:not found|No such file or directory)`)},
	{name: "command that a process manager does not find", cause: "CrashBadCommand", rank: decisive,
		words: []string{"command not found:", "missing script:", "no_script", "command \"", "failed to spawn", "can't find command", "could not be found within path", "[dumb-init]", "su-exec:", "env: ", "can't execute", "executable file not found", "script not found:", "how to build task", "could not execute because", "application to execute does not exist", "no main manifest attribute", "failed to exec", "could not import module", "failed to find attribute", "could not locate a flask", "unable to load application", "spawnerr"},
		re:    re("(?i:command not found: (?P<name>\\S+)|missing script: [\"']?(?P<value>[\\w:.-]+)|ERR_PNPM_NO_SCRIPT|error command \"(?P<file>[^\"]+)\" not found|^ *command \"(?P<task>[^\"]+)\" is not defined|failed to spawn:? `?(?P<spawn>[^`\\s]+)|can't find command '(?P<peer>[^']+)'|the command \\S+ .{0,60}could not be found within PATH|\\[dumb-init\\] .+: no such file|(?:su-exec|gosu|env): .+: (?:no such file or directory|permission denied)|can't execute '[^']+'|exec: \"[^\"]+\": executable file not found|script not found: \\S+|don't know how to build task '[^']+'|could not execute because the specified command or file was not found|application to execute does not exist|no main manifest attribute, in \\S+|failed to exec (?:pid1|[^:\\s]+): no such file|could not import module \"[^\"]+\"|failed to find attribute '[^']+' in|spawnerr: .+)")},
	{name: "port in use", cause: "CrashPortInUse", rank: decisive, words: []string{"address already in use", "eaddrinuse", "was already in use", "only one usage of each socket address", "address in use"},
		re: re(`(?i)address (?:already )?in use|EADDRINUSE|port \d+ was already in use|only one usage of each socket address`)},
	{name: "out of memory in the process", cause: "CrashOutOfMemory", rank: decisive, words: []string{"outofmemory", "heap out of memory", "out of memory", "memoryerror", "cannot allocate memory", "bad_alloc", "allowed memory size", "memory allocation of"},
		re: re(`(?i)java\.lang\.OutOfMemoryError[^\n]*|heap out of memory|runtime: out of memory|^MemoryError|cannot allocate memory|std::bad_alloc|Allowed memory size of \d+ bytes exhausted|System\.OutOfMemoryException|memory allocation of \d+ bytes failed`)},
	{name: "migration failed", cause: "MigrationFailed", rank: likely, words: []string{"migration", "migrate", "flyway", "liquibase", "alembic", "could not create unique index", "dirty database version", "pendingmigration"},
		re: re(`(?i)(?:migrations?\b.{0,80}\b(?:fail(?:ed|ure)?|error|dirty|aborted)|(?:fail(?:ed|ure)?|error)\b.{0,60}\bmigrat(?:ion|ions|e|ing)\b|FlywayException|FlywayValidateException|liquibase\.exception|alembic\.util\.exc|could not create unique index|Dirty database version|PendingMigrationError)[^\n]*`)},
}

// failureSignatures are the words of programs that fail without saying why in words known to anybody else.
var failureSignatures = []signature{
	{name: "panic", cause: "CrashApplicationError", rank: generic, words: []string{"panic", "fatal error:"},
		re: re(`^panic: (?P<value>.+)|^fatal error: .+|thread '[^']*' panicked at .+`)},
	{name: "exception", cause: "CrashApplicationError", rank: generic, words: []string{"exception", "error:", "error ["},
		re: re(`(?:Exception in thread "[^"]*" |Unhandled exception\.? |Uncaught (?:exception )?|Caused by: )?(?P<value>\b[A-Za-z_][\w.$:]*(?:Error|Exception)\b(?: \[\w+\])?: .+)|Unhandled exception[^\n]*|Uncaught [^\n]+`)},
	{name: "native crash", cause: "CrashApplicationError", rank: generic, words: []string{"segmentation fault", "sigsegv", "sigabrt", "core dumped", "terminate called", "stack smashing"},
		re: re(`(?i)segmentation fault|SIGSEGV|SIGABRT|core dumped|terminate called after throwing[^\n]*|stack smashing detected`)},
	{name: "fatal", cause: "CrashApplicationError", rank: generic, words: []string{"fatal", "critical", "severe", "emerg"},
		re: re(`(?i)\b(?:fatal|critical|severe|emerg)\b[\]:=" ]+(?P<value>.+)`)},
	{name: "error", cause: "CrashApplicationError", rank: generic, words: []string{"error", "failed", "cannot", "unable to", "err="},
		re: re(`(?i)\b(?:error|err)\b[\]:=" ]+(?P<value>.+)|\b(?:failed to|cannot|unable to|failed)\b.+`)},
}
