package diagnose

// serverLimit is the name of the row for limits that the called server sets, in contrast to a pool of the caller.
const serverLimit = "connections of a server"

// limitSignatures recognise that all of something that is counted is taken: connections, pool places, files, watches.
var limitSignatures = []signature{
	{name: serverLimit, cause: "ConnectionPoolExhausted", rank: decisive,
		words: []string{"too many clients", "connection slots", "too many connections", "max number of clients", "max_client_conn", "max_user_connections", "53300", "too many open connections", "connection limit exceeded", "too_many_connections", "ora-12516", "ora-00020", "connection_limit"},
		re:    re(`(?i)too many clients(?: already)?|remaining connection slots are reserved|(?:host .{0,80})?too many connections|max number of clients reached|no more connections allowed|max_user_connections|\b53300\b|too many open connections|connection limit exceeded(?: for non-superusers)?|ORA-12516|ORA-00020`)},
	{name: "pool of Java", cause: "ConnectionPoolExhausted", rank: decisive,
		words: []string{"connection is not available", "poolexhausted", "unable to fetch a connection", "cannot get a connection, pool", "get a resource from the pool", "waiting for connection from pool", "pending acquire queue", "waitqueue"},
		re:    re(`(?i)Connection is not available, request timed out after|PoolExhaustedException|Unable to fetch a connection in|Cannot get a connection, pool|Could not get a resource from the pool|Timeout waiting for connection from pool|Pending acquire queue|(?:Mongo)?WaitQueue(?:Full|Timeout)\w*`)},
	{name: "pool of Python", cause: "ConnectionPoolExhausted", rank: decisive, words: []string{"queuepool limit", "connection pool exhausted", "pooltimeout", "couldn't get a connection"},
		re: re(`(?i)QueuePool limit of size (?P<value>\d+ overflow \d+) reached|connection pool exhausted|PoolTimeout|couldn't get a connection after`)},
	{name: "pool of Node", cause: "ConnectionPoolExhausted", rank: decisive, words: []string{"acquiring a connection", "connectionacquiretimeout", "resourcerequest timed out", "timeout exceeded when trying to connect", "no connections available", "queue limit reached", "connection from the connection pool"},
		re: re(`(?i)Timeout acquiring a connection|ConnectionAcquireTimeoutError|ResourceRequest timed out|timeout exceeded when trying to connect|No connections available|Queue limit reached|(?:fetching|getting) a new connection from the connection pool`)},
	{name: "pool of Ruby, .NET, Rust, Go", cause: "ConnectionPoolExhausted", rank: decisive,
		words: []string{"obtain a connection from the pool", "obtaining a connection from the pool", "waiting for an open connection", "pool timed out", "timed out waiting for connection", "pool has been exhausted", "pool exhausted", "connection pool timeout", "pool is full", "acquire conn", "acquire connection", "pool is exhausted", "pool size", "query_wait_timeout", "connection pool is full"},
		re:    re(`(?i)could not obtain a (?:database )?connection from the pool|prior to obtaining a connection from the pool|pool timed out while waiting for an open connection|timed out waiting for connection|(?:connection )?pool (?:has been |is )?exhausted|redis: connection pool timeout|connection pool timeout|connection pool has been exhausted|(?:failed|timeout|timed out|unable|deadline exceeded).{0,60}acquir\w+ (?:a )?conn|acquire conn\w*.{0,60}(?:timeout|deadline)|query_wait_timeout`)},
	{name: "file descriptors", cause: "TooManyOpenFiles", rank: decisive,
		words: []string{"too many open files", "emfile", "enfile", "os error 24", "errno 24"},
		re:    re(`(?i)too many open files(?: in system)?|\bEMFILE\b|\bENFILE\b|os error 24|Errno 24\]`)},
	{name: "watches", cause: "TooManyOpenFiles", rank: decisive, words: []string{"inotify", "file watchers", "fsnotify"},
		re: re(`(?i)inotify.{0,80}(?:limit|no space left|too many|exhaust|reached)|limit for number of file watchers reached|(?:failed|unable|can't|could not).{0,60}(?:fsnotify|inotify) (?:watcher|instance|watch).{0,80}(?:no space|too many)`)},
	{name: "worker connections", cause: "TooManyOpenFiles", rank: likely, words: []string{"worker_connections are not enough"}, re: re(`worker_connections are not enough`)},
}
