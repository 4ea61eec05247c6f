package diagnose

import "testing"

func TestNetworkLogLinesAreRecognised(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cause CauseID
		row   string
		lines []string
	}{
		{"DNSFailure", noNameAnswer, []string{
			`dial tcp: lookup cache.app.svc.cluster.local on 10.96.0.10:53: server misbehaving`,
			`dial tcp: lookup cache on 10.96.0.10:53: read udp 10.244.1.2:4000->10.96.0.10:53: i/o timeout`,
			`lookup api.example on 10.96.0.10:53: read udp 10.244.1.2:4000->10.96.0.10:53: read: connection refused`,
			`Error: getaddrinfo EAI_AGAIN db`,
			`java.net.UnknownHostException: db.data.svc.cluster.local: Temporary failure in name resolution`,
			`could not translate host name "db" to address: Temporary failure in name resolution`,
			`requests.exceptions.ConnectionError: Failed to resolve 'api.example' ([Errno -3] Temporary failure in name resolution)`,
			`2026/03/01 10:00:00 [error] 7#7: *1 api.app.svc could not be resolved (110: Operation timed out)`,
			`** server can't find api.example: SERVFAIL`,
			`;; connection timed out; no servers could be reached`,
		}},
		{"DNSFailure", unknownName, []string{
			`dial tcp: lookup cahce on 10.96.0.10:53: no such host`,
			`Error: getaddrinfo ENOTFOUND cahce.app.svc`,
			`java.net.UnknownHostException: cahce`,
			`could not translate host name "bd" to address: Name or service not known`,
			`psycopg.OperationalError: [Errno -2] Name or service not known`,
			`[emerg] 1#1: host not found in upstream "bakend" in /etc/nginx/conf.d/default.conf:3`,
			`nc: bad address 'bd'`,
			`curl: (6) Could not resolve host: bakend`,
			`failed to lookup address information: Name does not resolve`,
			`System.Net.Http.HttpRequestException: No such host is known. (bakend:80)`,
			`** server can't find cahce.app.svc.cluster.local: NXDOMAIN`,
			`php_network_getaddresses: getaddrinfo for bd failed: Name or service not known`,
			`ERROR 2005 (HY000): Unknown MySQL server host 'bd' (-2)`,
		}},
		{"NetworkPolicyBlocks", "", []string{
			`dial tcp 10.96.4.4:5432: i/o timeout`,
			`Error: connect ETIMEDOUT 10.96.4.4:6379`,
			`connection to server at "db" (10.96.4.4), port 5432 failed: Connection timed out`,
			`java.net.SocketTimeoutException: Connect timed out`,
			`io.netty.channel.ConnectTimeoutException: connection timed out after 10000 ms: cache/10.96.4.4:6379`,
			`redis.exceptions.TimeoutError: Timeout connecting to server`,
			`ERROR 2003 (HY000): Can't connect to MySQL server on 'mysql:3306' (110)`,
			`upstream timed out (110: Operation timed out) while connecting to upstream, upstream: "http://10.244.2.2:80/"`,
			`Net::OpenTimeout: Failed to open TCP connection to api:80 (execution expired)`,
			`java.net.NoRouteToHostException: No route to host`,
			`curl: (28) Failed to connect to api port 80 after 130001 ms: Connection timed out`,
			`Get "http://api/v1": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
			`SQLSTATE[HY000] [2002] Connection timed out`,
		}},
		{"CrashDependencyRefused", "", []string{
			`FATAL: the database system is starting up`,
			`LOADING Redis is loading the dataset in memory`,
			`kafka.errors.NoBrokersAvailable: NoBrokersAvailable`,
			`[Producer] Connection to node -1 (kafka/10.96.2.2:9092) could not be established. Node may not be available.`,
			`rpc error: code = Unavailable desc = no healthy upstream`,
			`com.mysql.cj.jdbc.exceptions.CommunicationsException: Communications link failure`,
			`pymongo.errors.ServerSelectionTimeoutError: mongo:27017: [Errno 111] Connection refused`,
			`server closed the connection unexpectedly`,
			`requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: http://api/`,
		}},
		{"CredentialsRejected", "", []string{
			`FATAL: password authentication failed for user "shop"`,
			`FATAL: no pg_hba.conf entry for host "10.244.0.9", user "shop", database "shop", no encryption`,
			`ERROR 1045 (28000): Access denied for user 'shop'@'10.244.0.9' (using password: YES)`,
			`redis.exceptions.AuthenticationError: WRONGPASS invalid username-password pair or user is disabled.`,
			`ReplyError: NOAUTH Authentication required.`,
			`MongoServerError: Authentication failed.`,
			`amqp.exceptions.AccessRefused: (0, 0): (403) ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN`,
			`org.apache.kafka.common.errors.SaslAuthenticationException: Authentication failed: Invalid username or password`,
			`Login failed for user 'sa'.`,
			`ORA-01017: invalid username/password; logon denied`,
			`unable to authenticate user [elastic] for REST request [/_bulk]`,
			`An error occurred (InvalidAccessKeyId) when calling the PutObject operation`,
			`requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: https://api.example/v1`,
			`AxiosError: Request failed with status code 401`,
			`unexpected status code 403: Forbidden`,
			`fatal: Authentication failed for 'https://git.example/team/app.git/'`,
			`smtplib.SMTPAuthenticationError: (535, b'5.7.8 Error: authentication failed')`,
		}},
		{"ExpiredToken", "", []string{
			`{"error":"invalid_token","error_description":"The access token expired"}`,
			`TokenExpiredError: jwt expired`,
			`jwt.exceptions.ExpiredSignatureError: Signature has expired`,
			`An error occurred (ExpiredToken) when calling the ListObjects operation: The provided token has expired.`,
			`io.jsonwebtoken.ExpiredJwtException: JWT expired at 2026-03-01T10:00:00Z`,
			`oauth2: cannot fetch token: 400 {"error":"invalid_grant","error_description":"Token has been expired or revoked."}`,
			`AADSTS7000222: The provided client secret keys are expired.`,
			`token is expired by 3h2m`,
		}},
		{"ClockSkew", "", []string{
			`oidc: token used before issued`,
			`jwt.exceptions.ImmatureSignatureError: The token is not yet valid (iat)`,
			`NotBeforeError: jwt not active`,
			`An error occurred (RequestTimeTooSkewed) when calling the PutObject operation`,
			`krb5_get_init_creds: Clock skew too great (KRB_AP_ERR_SKEW)`,
			`x509: certificate has expired or is not yet valid: current time 2026-03-01T10:00:00Z is before 2026-03-01T11:00:00Z`,
		}},
		{"TLSCertExpired", "", []string{
			`x509: certificate has expired or is not yet valid: current time 2026-03-01T10:00:00Z is after 2026-02-01T11:00:00Z`,
			`Error: certificate has expired, code: 'CERT_HAS_EXPIRED'`,
			`java.security.cert.CertificateExpiredException: NotAfter: Sun Mar 01 10:00:00 UTC 2026`,
			`ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:1000)`,
			`remote error: tls: expired certificate`,
			`invalid peer certificate: Expired`,
			`OpenSSL::SSL::SSLError: SSL_connect returned=1 errno=0 state=error: certificate verify failed (certificate has expired)`,
			`curl: (60) SSL certificate problem: certificate has expired`,
		}},
		{"RBACForbidden", "", []string{
			`pods is forbidden: User "system:serviceaccount:app:bot" cannot list resource "pods" in API group "" in the namespace "app"`,
			`{"level":"error","error":"nodes is forbidden: User \"system:serviceaccount:app:bot\" cannot watch resource \"nodes\" in API group \"\" at the cluster scope"}`,
			`forbidden: User "system:serviceaccount:app:bot" cannot get path "/metrics"`,
		}},
		{"ConnectionPoolExhausted", "", []string{
			`FATAL: sorry, too many clients already`,
			`FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute`,
			`ERROR 1040 (HY000): Too many connections`,
			`ERR max number of clients reached`,
			`HikariPool-1 - Connection is not available, request timed out after 30000ms.`,
			`sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out, timeout 30.00`,
			`KnexTimeoutError: Knex: Timeout acquiring a connection. The pool is probably full.`,
			`Error: timeout exceeded when trying to connect`,
			`ActiveRecord::ConnectionTimeoutError: could not obtain a connection from the pool within 5.000 seconds`,
			`Timeout expired. The timeout period elapsed prior to obtaining a connection from the pool.`,
			`pool timed out while waiting for an open connection`,
			`redis.clients.jedis.exceptions.JedisException: Could not get a resource from the pool`,
			`redis: connection pool timeout`,
			`PrismaClientKnownRequestError: Timed out fetching a new connection from the connection pool.`,
		}},
		{"TooManyOpenFiles", "", []string{
			`accept4: too many open files`,
			`Error: EMFILE: too many open files, open '/app/x'`,
			`OSError: [Errno 24] Too many open files: '/app/x'`,
			`Os { code: 24, kind: Uncategorized, message: "Too many open files (os error 24)" }`,
			`failed to create fsnotify watcher: too many open files`,
			`Error: ENOSPC: System limit for number of file watchers reached, watch '/app'`,
			`java.net.SocketException: Too many open files`,
		}},
		{"AdmissionWebhookUnavailable", "", []string{
			`Internal error occurred: failed calling webhook "pods.guard.example": failed to call webhook: Post "https://guard.infra.svc:443/check?timeout=5s": context deadline exceeded`,
		}},
	} {
		for _, text := range c.lines {
			t.Run(string(c.cause)+" "+text, func(t *testing.T) {
				t.Parallel()
				h, ok := match(line{text: text})
				switch {
				case !ok:
					t.Error("not recognised")
				case h.sig.cause != c.cause:
					t.Errorf("taken for %s (%s)", h.sig.cause, h.sig.name)
				case c.row != "" && h.sig.name != c.row:
					t.Errorf("taken for %q, want %q", h.sig.name, c.row)
				}
			})
		}
	}
}

func TestPeersAreReadFromTheWordsOfManyClients(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{`Post "http://token.auth.svc/x": dial tcp 10.96.2.2:80: connect: connection refused`, "10.96.2.2:80"},
		{`read tcp 10.244.1.1:4000->10.96.0.9:5432: read: connection reset by peer`, "10.96.0.9:5432"},
		{`connect() failed (111: Connection refused) while connecting to upstream, client: 10.1.1.1, upstream: "http://10.96.2.2:80/x"`, "10.96.2.2:80"},
		{`Error: connect ECONNREFUSED 10.96.2.2:6379`, "10.96.2.2:6379"},
		{`connection to server at "db.data" (10.96.2.2), port 5432 failed`, "db.data:5432"},
		{`Failed to open TCP connection to api:80 (Connection refused - connect(2) for "api" port 80)`, "api:80"},
		{`HTTPSConnectionPool(host='api.app.svc', port=443): Max retries exceeded`, "api.app.svc:443"},
		{`Connection refused: cache/10.96.2.2:6379`, "10.96.2.2:6379"},
		{`Can't connect to MySQL server on 'mysql:3306' (111)`, "mysql:3306"},
		{`postgres://shop@db.data:5432/shop: timed out`, "db.data:5432"},
		{`pymongo.errors.ServerSelectionTimeoutError: mongo:27017: timed out`, "mongo:27017"},
	} {
		named := peersNamed(hit{line: line{text: c.text}})
		if len(named) == 0 || named[0].address() != c.want {
			t.Errorf("%s: %v, want %s first", c.text, named, c.want)
		}
	}
	if named := peersNamed(hit{line: line{text: "client.go:123: connection refused"}}); len(named) > 0 {
		t.Errorf("a line of source code is taken for %v", named)
	}
}

func TestServersOwnTalkIsNoFault(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"certificate will expire in 20 days", "session expired, signing user out", "cache entry expired", "retrying after timeout budget",
		"request served in 12ms status=200", "user asked for a new password", "pool size set to 20", "lease expired, acquiring again",
	} {
		if h, ok := match(line{text: text}); ok && h.sig.rank > likely {
			t.Errorf("%q is taken for %s (%s)", text, h.sig.cause, h.sig.name)
		}
	}
}
