package diagnose

import "slices"

// networkSignatures are the ways in which programs word what went wrong between them and what they call.
var networkSignatures = slices.Concat(nameSignatures, accessSignatures, limitSignatures, unreachableSignatures)

// Names of the rows that a cause tells apart.
const (
	unknownName  = "name that does not exist"
	noNameAnswer = "name service does not answer"
	slowAnswer   = "no answer in time"
)

// nameSignatures recognise failed look-ups of names. A server that does not answer comes before a name that does not
// exist: Java words both alike and adds the difference at the end.
var nameSignatures = []signature{
	{name: noNameAnswer, cause: "DNSFailure", rank: dependency, words: []string{"lookup "},
		re: re(`lookup (?P<name>[A-Za-z0-9_.-]+)(?: on (?P<server>\S+?))?: (?:server misbehaving|(?:read|dial|write) (?:udp|tcp)|i/o timeout|.*?(?:i/o timeout|connection refused|SERVFAIL|Temporary failure|Try again))`)},
	{name: noNameAnswer, cause: "DNSFailure", rank: dependency, words: []string{"eai_again", "eservfail", "etimeout", "erefused"},
		re: re(`(?:getaddrinfo |query[A-Z][A-Za-z]* )(?:EAI_AGAIN|ESERVFAIL|ETIMEOUT|EREFUSED) (?P<name>[A-Za-z0-9_.-]+)`)},
	{name: noNameAnswer, cause: "DNSFailure", rank: dependency, words: []string{"temporary failure in name resolution", "[errno -3]", "eai_again", "servfail", "try again"},
		re: re(`(?i)(?:(?:UnknownHostException: |host name ["']|resolve (?:host )?["']?|host=['"]|lookup )(?P<name>[a-z0-9_][a-z0-9_.-]*[a-z0-9]).{0,200}?)?(?:Temporary failure in name resolution|Errno -3\]|EAI_AGAIN|SERVFAIL|(?:lookup|resol\w+|getaddrinfo).{0,80}Try again)`)},
	{name: noNameAnswer, cause: "DNSFailure", rank: dependency, words: []string{"could not be resolved (1", "could not be resolved (2", "could not be resolved (5"},
		re: re(`(?P<name>[A-Za-z0-9_.-]+) could not be resolved \((?:110|2|5):`)},
	{name: noNameAnswer, cause: "DNSFailure", rank: dependency, words: []string{"no servers could be reached", "resolving timed out", "dns query", "dns lookup", "dns resolution", "dnsnameresolver", "name resolution"},
		re: re(`(?i)no servers could be reached|resolving timed out|dns (?:query|lookup|resolution)\w* (?:timed out|timeout|failed)|DnsNameResolverTimeoutException|name resolution (?:timed out|timeout)`)},
	{name: unknownName, cause: "DNSFailure", rank: dependency, words: []string{"no such host"},
		re: re(`(?i)lookup (?P<name>[a-z0-9_.-]+)(?: on \S+?)?: no such host|no such host is known\.? \((?P<peer>[^)]+)\)|no such host`)},
	{name: unknownName, cause: "DNSFailure", rank: dependency, words: []string{"enotfound"}, re: re(`ENOTFOUND (?P<name>[A-Za-z0-9_.-]+)`)},
	{name: unknownName, cause: "DNSFailure", rank: dependency, words: []string{"nxdomain"},
		re: re(`(?i)(?:lookup |can't find |resolve |host |name )?["']?(?P<name>[a-z0-9_][a-z0-9_-]*(?:\.[a-z0-9_-]+)*)["']?[:;,]? (?:on \S+ )?(?:->|returned|is|with)?\s?\(?NXDOMAIN`)},
	{name: unknownName, cause: "DNSFailure", rank: dependency, words: []string{"host not found", "bad address", "could not resolve host", "unknown mysql server host", "no address associated", "unable to resolve host"},
		re: re(`(?i)(?:host not found in upstream|bad address|could not resolve host:?|unable to resolve host:?|unknown mysql server host) ["']?(?P<name>[a-z0-9_][a-z0-9_.-]*)|(?P<name2>[a-z0-9_.-]+) could not be resolved \(3:|no address associated with hostname`)},
	{name: unknownName, cause: "DNSFailure", rank: dependency, words: []string{"name or service not known", "name does not resolve", "nodename nor servname", "failed to resolve", "[errno -2]", "name resolution error"},
		re: re(`(?i)(?:(?:UnknownHostException: |host name ["']|resolve (?:host )?["']?|connection to |host=['"]|getaddrinfo(?: for)? |lookup )(?P<name>[a-z0-9_][a-z0-9_.-]*[a-z0-9]).{0,200}?)?(?:Name or service not known|Name does not resolve|nodename nor servname|Errno -2\])`)},
	{name: unknownName, cause: "DNSFailure", rank: dependency, words: []string{"unknownhostexception"},
		re: re(`UnknownHostException: (?P<name>[A-Za-z0-9_.-]+)`)},
	{name: unknownName, cause: "DNSFailure", rank: dependency, words: []string{"no resolvable bootstrap"}, re: re(`(?i)no resolvable bootstrap (?:urls|servers)`)},
}

// unreachableSignatures recognise calls that get no answer at all, and answers that say that nobody is there.
var unreachableSignatures = []signature{
	{name: "no answer", cause: "NetworkPolicyBlocks", rank: dependency,
		words:  []string{"i/o timeout", "etimedout", "ehostunreach", "enetunreach", "no route to host", "connection timed out", "connect timed out", "connection timeout", "connect timeout", "connecttimeout", "opentimeout", "upstream timed out"},
		unless: []string{"pool"},
		re:     re(`(?i)i/o timeout|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|no route to host|connect(?:ion)? timed out|connect(?:ion)? ?timeout|ConnectTimeout\w*|Net::OpenTimeout|upstream timed out`)},
	{name: slowAnswer, cause: "NetworkPolicyBlocks", rank: dependency,
		words:  []string{"deadline exceeded", "deadline has elapsed", "timed out", "timeout", "(110)", "(113)"},
		unless: []string{"pool", "lock", "acquir", "shutdown", "statement", "election", "idle", "session", "keepalive", "grace", "probe"},
		re:     re(`(?i)context deadline exceeded|DeadlineExceeded|deadline has elapsed|Client\.Timeout exceeded|(?:connect|dial|reach|server|host|request|read|call|socket|upstream|server selection)\w*\b.{0,120}(?:timed out|time-?out\b|timeout exceeded)|Timeout connecting|TimeoutException|(?:connect to .{1,80}) \(11[03]\)|SocketTimeout\w*|timeout expired|timeout of \d+ ?ms exceeded`)},
	{name: "database is not up", cause: "CrashDependencyRefused", rank: dependency,
		words: []string{"the database system is", "is loading the dataset", "masterdown", "not yet accepting"},
		re:    re(`(?i)the database system is (?:starting up|shutting down|in recovery mode|not yet accepting connections)|LOADING \w+ is loading the dataset|MASTERDOWN`)},
	{name: "nobody upstream", cause: "CrashDependencyRefused", rank: dependency,
		words: []string{"no healthy upstream", "no live upstreams", "upstream connect error", "connection error: desc", "code = unavailable", "no endpoints available"},
		re:    re(`(?i)no healthy upstream|no live upstreams|upstream connect error|code = Unavailable|connection error: desc|no endpoints available for service`)},
	{name: "broker is not there", cause: "CrashDependencyRefused", rank: dependency,
		words: []string{"could not be established", "nobrokersavailable", "broker may not be available", "brokers are down", "serverselection", "nonodeavailable", "no nodes available", "communications link failure", "all configured nodes", "can't connect to", "could not connect to", "unable to connect to", "failed to connect to", "cannot connect to"},
		re:    re(`(?i)Connection to node -?\d+ .{0,80}could not be established|NoBrokersAvailable|\d+/\d+ brokers are down|ServerSelection(?:Timeout)?Error|NoNodeAvailable\w*|no nodes available|Communications link failure|(?:can't|cannot|could not|unable to|failed to) connect to\b`)},
	{name: "answer of a gateway", cause: "CrashDependencyRefused", rank: dependency,
		words: []string{"502", "503", "504"},
		re:    re(`(?i)(?:status(?: code)?[=:]? ?|responded with (?:status )?|returned (?:status )?|http[ /]|error:? )["']?50[234]\b|\b50[234] (?:Server Error|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out)`)},
	{name: "connection broken off", cause: "CrashDependencyRefused", rank: dependency,
		words: []string{"server closed the connection unexpectedly", "lost connection to mysql", "server has gone away", "terminating connection due to administrator"},
		re:    re(`(?i)server closed the connection unexpectedly|lost connection to mysql server|server has gone away|terminating connection due to administrator command`)},
}
