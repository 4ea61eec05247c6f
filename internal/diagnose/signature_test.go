package diagnose

import (
	"strings"
	"testing"
)

func TestLogLinesAreRecognised(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reason string
		line   string
		cause  CauseID
		// vars are the named pieces that have to be found, as name=value.
		vars string
	}{
		{"python dictionary of the environment", `KeyError: 'SMTP_RELAY'`, "CrashMissingEnv", "name=SMTP_RELAY"},
		{"ruby fetch", `config/boot.rb:7:in 'ENV.fetch': key not found: "REDIS_URL" (KeyError)`, "CrashMissingEnv", "name=REDIS_URL"},
		{"shell with set -u", `/entrypoint.sh: line 12: DB_HOST: unbound variable`, "CrashMissingEnv", "name=DB_HOST"},
		{"go envconfig", `2026/03/01 10:00:00 required key PAYMENT_API_KEY missing value`, "CrashMissingEnv", "name=PAYMENT_API_KEY"},
		{"go env", `panic: env: required environment variable "LISTEN_ADDR" is not set`, "CrashMissingEnv", "name=LISTEN_ADDR"},
		{"node", `Error: Missing required environment variable: STRIPE_SECRET`, "CrashMissingEnv", "name=STRIPE_SECRET"},
		{"plain", `FATAL: DATABASE_URL is not set`, "CrashMissingEnv", "name=DATABASE_URL"},
		{"rust", `thread 'main' panicked at src/main.rs:9:44: DATABASE_URL must be set: NotPresent`, "CrashMissingEnv", "name=DATABASE_URL"},
		{"elixir", `** (RuntimeError) environment variable SECRET_KEY_BASE is missing.`, "CrashMissingEnv", "name=SECRET_KEY_BASE"},
		{"spring", `java.lang.IllegalArgumentException: Could not resolve placeholder 'payment.url' in value "${payment.url}"`, "CrashMissingEnv", "name=payment.url"},
		{"the postgres image", `       You must specify POSTGRES_PASSWORD to a non-empty value for the`, "CrashMissingEnv", "name=POSTGRES_PASSWORD"},

		{"go dial", `dial tcp 10.96.3.4:5432: connect: connection refused`, "CrashDependencyRefused", "peer=10.96.3.4:5432"},
		{"node", `Error: connect ECONNREFUSED 10.96.3.4:6379`, "CrashDependencyRefused", "peer=10.96.3.4:6379"},
		{"libpq", `connection to server at "db.data" (10.96.0.7), port 5432 failed: Connection refused`, "CrashDependencyRefused", "peer=db.data"},
		{"java", `java.net.ConnectException: Connection refused`, "CrashDependencyRefused", ""},

		{"nginx", `2026/03/01 10:00:00 [emerg] 1#1: unknown directive "porxy_pass" in /etc/nginx/conf.d/default.conf:9`, "CrashBadConfig", "file=/etc/nginx/conf.d/default.conf"},
		{"haproxy", `[ALERT]    (1) : config : parsing [/usr/local/etc/haproxy/haproxy.cfg:12] : unknown keyword 'blance' in 'backend' section`, "CrashBadConfig", "file=/usr/local/etc/haproxy/haproxy.cfg"},
		{"go yaml", `level=error msg="Error loading config" err="yaml: line 14: mapping values are not allowed in this context"`, "CrashBadConfig", ""},
		{"cobra", `Error: unknown flag: --lisen`, "CrashBadConfig", ""},
		{"go flag", `flag provided but not defined: -verbos`, "CrashBadConfig", ""},
		{"postgres", `2026-03-01 10:00:00 UTC [1] FATAL:  configuration file "/etc/postgresql/postgresql.conf" contains errors`, "CrashBadConfig", "file=/etc/postgresql/postgresql.conf"},
		{"redis", `*** FATAL CONFIG FILE ERROR (Redis 7.2.4) ***`, "CrashBadConfig", ""},
		{"mysql", `2026-03-01T10:00:00 [ERROR] [MY-000067] [Server] unknown variable 'inodb_buffer=1G'.`, "CrashBadConfig", ""},
		{"argparse", `server.py: error: unrecognized arguments: --worker 4`, "CrashBadConfig", ""},

		{"go file", `open /data/state.db: permission denied`, "CrashPermissionDenied", ""},
		{"python file", `PermissionError: [Errno 13] Permission denied: '/data/state.db'`, "CrashPermissionDenied", ""},
		{"node file", `Error: EACCES: permission denied, mkdir '/app/.cache'`, "CrashPermissionDenied", ""},
		{"low port", `listen tcp :80: bind: permission denied`, "CrashPermissionDenied", ""},
		{"chown", `chown: changing ownership of '/var/lib/postgresql/data': Operation not permitted`, "CrashPermissionDenied", ""},

		{"touch", `touch: /var/run/app.pid: Read-only file system`, "ReadOnlyFilesystem", ""},
		{"python", `OSError: [Errno 30] Read-only file system: '/app/tmp'`, "ReadOnlyFilesystem", ""},
		{"node", `Error: EROFS: read-only file system, open '/app/x.log'`, "ReadOnlyFilesystem", ""},
		{"postgres", `PANIC:  could not write to file "pg_wal/xlogtemp.32": No space left on device`, "DiskFullInContainer", ""},
		{"java", `java.io.IOException: No space left on device`, "DiskFullInContainer", ""},
		{"sqlite", `sqlite3.OperationalError: database or disk is full`, "DiskFullInContainer", ""},

		{"java heap", `java.lang.OutOfMemoryError: Java heap space`, "CrashOutOfMemory", ""},
		{"node heap", `FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory`, "CrashOutOfMemory", ""},
		{"php", `PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted (tried to allocate 20480 bytes)`, "CrashOutOfMemory", ""},
		{"port taken", `listen tcp :8080: bind: address already in use`, "CrashPortInUse", ""},
		{"spring port", `Web server failed to start. Port 8080 was already in use.`, "CrashPortInUse", ""},

		{"shell", `/bin/sh: 1: gunicron: not found`, "CrashBadCommand", ""},
		{"bash", `bash: line 1: gunicron: command not found`, "CrashBadCommand", "name=gunicron"},
		{"node entry", `Error: Cannot find module '/app/dist/server.js'`, "CrashBadCommand", ""},
		{"java entry", `Error: Could not find or load main class com.example.Main`, "CrashBadCommand", ""},
		{"jar", `Error: Unable to access jarfile app.jar`, "CrashBadCommand", ""},
		{"exec", `exec /app/run.sh: no such file or directory`, "CrashBadCommand", "file=/app/run.sh"},
		{"wrong architecture", `exec /usr/bin/api: exec format error`, "ImageArchMismatch", ""},
		{"migration", `ERROR:  could not create unique index "orders_key"`, "MigrationFailed", ""},
		{"go panic", `panic: runtime error: index out of range [3] with length 3`, "CrashApplicationError", "value=runtime error: index out of range [3] with length 3"},
		{"dotnet", `Unhandled exception. System.NullReferenceException: Object reference not set to an instance of an object.`, "CrashApplicationError", ""},
	} {
		t.Run(string(c.cause)+" by "+c.reason, func(t *testing.T) {
			t.Parallel()
			h, ok := match(line{text: c.line})
			if !ok {
				t.Fatalf("not recognised: %s", c.line)
			}
			if h.sig.cause != c.cause {
				t.Errorf("taken for %s (%s), want %s", h.sig.cause, h.sig.name, c.cause)
			}
			if name, value, ok := strings.Cut(c.vars, "="); ok && h.vars[name] != value {
				t.Errorf("%s is %q, want %q", name, h.vars[name], value)
			}
		})
	}
}

func TestHarmlessLinesAreNotTakenForFaults(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`2026-03-01T10:00:00Z INFO listening on :8080`,
		`10.0.0.1 - - [01/Mar/2026:10:00:00 +0000] "GET /permission-denied HTTP/1.1" 404 12 "-" "connection refused"`,
		`2026-03-01T10:00:00Z DEBUG cache: KeyError: 'USER_ID' handled`,
		`{"level":"info","msg":"retry after connection refused succeeded"}`,
		`LOG:  database system is ready to accept connections`,
		`I0301 10:00:00.000000       1 main.go:12] failed to find anything, fine`,
	} {
		one := line{text: text, level: levelOf(line{text: text})}
		if one.level != levelInfo && one.level != levelDebug {
			if h, ok := match(one); ok {
				t.Errorf("%q is taken for %s", text, h.sig.name)
			}
		}
	}
}
