package diagnose

import (
	"slices"
	"testing"

	"github.com/eclusier/eclusier/internal/cluster"
)

func TestTheLevelOfALineIsReadAsItsLibraryWritesIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		library, text string
		want          level
	}{
		{"zap", `{"level":"warn","ts":1772452620.1,"caller":"app/main.go:1","msg":"slow"}`, levelWarning},
		{"zap, which panics in development", `{"level":"dpanic","msg":"slow"}`, levelError},
		{"logrus", `{"level":"warning","msg":"slow","time":"2026-03-02T11:57:00Z"}`, levelWarning},
		{"logrus in key=value", `time="2026-03-02T11:57:00Z" level=error msg="no answer"`, levelError},
		{"zerolog", `{"level":"error","error":"no answer","time":1772452620,"message":"gone"}`, levelError},
		{"pino at info", `{"level":30,"time":1772452620000,"msg":"error page shown"}`, levelInfo},
		{"pino at warn", `{"level":40,"time":1772452620000,"msg":"slow"}`, levelWarning},
		{"bunyan at fatal", `{"name":"app","level":60,"msg":"gone","v":0}`, levelError},
		{"bunyan at trace", `{"name":"app","level":10,"msg":"error in detail","v":0}`, levelDebug},
		{"winston with colours", "{\"level\":\"\\u001b[31merror\\u001b[39m\",\"message\":\"gone\"}", levelError},
		{"Serilog without a level, which is information", `{"@t":"2026-03-02T11:57:00Z","@mt":"Error page shown"}`, levelInfo},
		{"Serilog", `{"@t":"2026-03-02T11:57:00Z","@mt":"gone","@l":"Warning"}`, levelWarning},
		{"NLog", `{"time":"2026-03-02 11:57:00","level":"Error","message":"gone"}`, levelError},
		{"structlog, which writes the level after a long event", `{"event":"a program that tells at great length of all that it did before it comes to the point, which is nothing of importance","level":"debug"}`, levelDebug},
		{"python-json-logger", `{"asctime":"2026-03-02 11:57:00","levelname":"CRITICAL","message":"gone"}`, levelError},
		{"the Logstash encoder", `{"@timestamp":"2026-03-02T11:57:00Z","message":"gone","level":"WARN","level_value":30000}`, levelWarning},
		{"slog", `{"time":"2026-03-02T11:57:00Z","level":"WARN+1","msg":"slow"}`, levelWarning},
		{"ECS", `{"@timestamp":"2026-03-02T11:57:00Z","log.level":"ERROR","message":"gone"}`, levelError},
		{"ECS, nested", `{"log":{"level":"info","logger":"x"},"message":"error page shown"}`, levelInfo},
		{"Google Cloud", `{"severity":"ALERT","message":"gone"}`, levelError},
		{"GELF", `{"version":"1.1","host":"a","short_message":"gone","level":3}`, levelError},
		{"GELF at notice", `{"version":"1.1","host":"a","short_message":"error page shown","level":5}`, levelInfo},
		{"Monolog", `{"message":"gone","level":400,"level_name":"ERROR"}`, levelError},
		{"a line behind the timestamp of a collector", `2026-03-02T11:57:00.5Z {"level":"info","msg":"error page shown"}`, levelInfo},
		{"klog", `W0302 11:57:00.000000       1 main.go:12] slow`, levelWarning},
	} {
		t.Run(c.library, func(t *testing.T) {
			t.Parallel()
			if got := levelOf(line{text: c.text, fields: structured(c.text)}); got != c.want {
				t.Errorf("level %d, want %d: %s", got, c.want, c.text)
			}
		})
	}
}

func TestFaultsAreFoundInStructuredLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		library, text string
		cause         CauseID
	}{
		{"zap", `{"level":"error","msg":"insert failed","error":"dial tcp 10.96.7.7:80: connect: connection refused"}`, "CrashDependencyRefused"},
		{"pino with an error object", `{"level":50,"err":{"type":"Error","message":"connect ECONNREFUSED 10.96.7.7:80","code":"ECONNREFUSED"},"msg":"failed"}`, "CrashDependencyRefused"},
		{"Serilog", `{"@mt":"failed","@l":"Error","@x":"System.Net.Sockets.SocketException (111): Connection refused\n   at App.Main()"}`, "CrashDependencyRefused"},
		{"the Logstash encoder", `{"message":"failed","level":"ERROR","stack_trace":"java.lang.IllegalStateException: x\nCaused by: java.net.ConnectException: Connection refused\n\tat A.b(A.java:1)"}`, "CrashDependencyRefused"},
		{"ECS", `{"log.level":"error","message":"failed","error":{"type":"OSError","message":"[Errno 28] No space left on device"}}`, "DiskFullInContainer"},
		{"structlog with a traceback", `{"event":"failed","level":"error","exception":"Traceback (most recent call last):\nKeyError: 'BILLING_URL'"}`, "CrashMissingEnv"},
		{"a right with quotes behind backslashes", `{"level":"error","err":"secrets is forbidden: User \"system:serviceaccount:a:b\" cannot create resource \"secrets\" in API group \"\" in the namespace \"c\""}`, "RBACForbidden"},
	} {
		t.Run(c.library, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			l := &cluster.Log{Pod: ref("Pod", "app", "x"), Container: "x", Text: c.text}
			hits := newExam(w.Snapshot, Question{}).hits(l)
			if len(hits) != 1 || hits[0].sig.cause != c.cause {
				t.Errorf("found %+v, want %s", hits, c.cause)
			}
		})
	}
}

func TestWhatAStructuredLineSaysWasCalled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       peer
	}{
		{"a URL", `{"level":"warn","msg":"slow","upstream":"https://store.data.svc/v1"}`, peer{"store.data.svc", "443"}},
		{"host and port", `{"level":"warn","msg":"slow","target":"store.data:6379"}`, peer{"store.data", "6379"}},
		{"a connection string of Java", `{"level":"warn","msg":"slow","url":"jdbc:postgresql://store.data.svc/x"}`, peer{"store.data.svc", "5432"}},
		{"an address", `{"level":"warn","msg":"slow","target":"203.0.113.7"}`, peer{"203.0.113.7", ""}},
		{"the host of an error", `{"level":50,"err":{"host":"store"},"msg":"failed"}`, peer{"store", ""}},
		{"ECS", `{"log.level":"warn","message":"slow","server":{"address":"store.data.svc"}}`, peer{"store.data.svc", ""}},
		{"slog as text", `time=2026-03-02T11:57:00Z level=WARN msg="slow" upstream=store.data.svc:80`, peer{"store.data.svc", "80"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := hit{line: line{text: c.text, fields: structured(c.text)}, sig: &complaintWords}
			if got := peersNamed(h); len(got) == 0 || got[0] != c.want {
				t.Errorf("called %v, want %v first", got, c.want)
			}
		})
	}
	own := `{"level":"warn","msg":"slow","host":"caller-1-x","hostname":"caller-1-x"}`
	if got := peersNamed(hit{line: line{text: own, fields: structured(own)}, sig: &complaintWords}); len(got) > 0 {
		t.Errorf("takes the name of the program itself for what it calls: %v", got)
	}
}

func TestAGatewayNamesWhatDidNotAnswerAndAStrangerCannot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       string
	}{
		{"NGINX", `192.0.2.1 - - [02/Mar/2026:11:57:00 +0000] "GET / HTTP/1.1" 502 157 "-" "x" upstream=store.data.svc`, "store.data.svc"},
		{"Traefik", `192.0.2.1 - - [02/Mar/2026:11:57:00 +0000] "GET / HTTP/1.1" 504 15 "-" "-" 7 "web@kubernetes" "http://10.244.9.9:8080" 30000ms`, "10.244.9.9"},
		{"Envoy", `[2026-03-02T11:57:00.000Z] "GET /x HTTP/1.1" 503 UF 0 91 12 - "-" "x" "a" "example.org" "10.244.9.9:8080"`, "10.244.9.9"},
		{"JSON", `{"status":503,"request":"GET / HTTP/1.1","upstream_addr":"10.244.9.9:8080"}`, "10.244.9.9"},
		{"a path that looks like an address", `192.0.2.1 - - [02/Mar/2026:11:57:00 +0000] "GET /?u=http://evil.data.svc HTTP/1.1" 502 157 "-" "-"`, ""},
		{"a request that was answered", `192.0.2.1 - - [02/Mar/2026:11:57:00 +0000] "GET / HTTP/1.1" 200 157 "-" "x" upstream=store.data.svc`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			one := line{text: c.text, fields: structured(c.text)}
			one.level = levelOf(one)
			h, ok := matchLine(one)
			var hosts []string
			if ok {
				for _, p := range peersNamed(h) {
					hosts = append(hosts, p.host)
				}
			}
			if c.want == "" && len(hosts) > 0 || c.want != "" && !slices.Contains(hosts, c.want) {
				t.Errorf("names %v, want %q", hosts, c.want)
			}
		})
	}
}
