package diagnose

import "slices"

// accessSignatures recognise that somebody was refused: by a webhook, a clock, a certificate, a token, a right or a
// password. What quotes another error comes first, then the clock: what a wrong one does looks like an invalid token or
// certificate.
var accessSignatures = slices.Concat(webhookSignatures, clockSignatures, certificateSignatures, tokenSignatures, rightSignatures, credentialSignatures)

var webhookSignatures = []signature{
	{name: "webhook that cannot be called", cause: "AdmissionWebhookUnavailable", rank: decisive, words: []string{"failed calling webhook"},
		re: re(`failed calling webhook \\*"(?P<name>[^"\\]+)\\*": (?P<value>.+)`)},
}

var clockSignatures = []signature{
	{name: "token from the future", cause: "ClockSkew", rank: decisive,
		words: []string{"before issued", "in the future", "not yet valid", "not active", "notbefore", "prematurejwt", "immaturesignature", "nbf", "idx10222", "not valid yet"},
		re:    re(`(?i)used before issued|issued (?:at )?in the future|\biat\b.{0,60}in the future|token.{0,40}not (?:yet valid|valid yet)|jwt not active|NotBeforeError|PrematureJwtException|ImmatureSignatureError|IDX10222|\bnbf\b.{0,60}(?:future|not yet|invalid|after)`)},
	{name: "certificate from the future", cause: "ClockSkew", rank: decisive, words: []string{"is before", "not yet valid", "cert_not_yet_valid", "notyetvalid"},
		re: re(`(?i)current time \S+ is before|certificate is not yet valid|CERT_NOT_YET_VALID|CertificateNotYetValidException|invalid peer certificate: NotValidYet`)},
	{name: "clocks differ", cause: "ClockSkew", rank: decisive, words: []string{"skew", "clock", "not yet current", "synchronis", "selectable sources"},
		re: re(`(?i)clock skew(?: detected| too great|ed)|(?:exceeds?|beyond|outside|due to|because of|maximum).{0,40}clock skew|RequestTimeTooSkewed|KRB_AP_ERR_SKEW|System clock wrong by|Signature not yet current|clock (?:difference|drift)\b.{0,60}(?:too|exceed|peer|beyond)|Can't synchronise: no selectable sources|clock (?:is )?(?:not synchroni[sz]ed|out of sync)`)},
}

var certificateSignatures = []signature{
	{name: "certificate expired", cause: "TLSCertExpired", rank: decisive,
		words: []string{"expired", "validity check failed", "nottimevalid", "certificateexpired"}, unless: []string{"is before", "not expired"},
		re: re(`(?i)x509: certificate has expired|certificate (?:has |is |was )?expired|cert(?:ificate)?_has_expired|CertificateExpired\w*|expired certificate|certificate verif\w+.{0,60}expired|invalid peer certificate: .{0,12}expired|PKIX path validation failed.{0,60}validity check failed|\bNotTimeValid\b|peer certificate.{0,40}expired|(?:cert|certificate|ca bundle)\b.{0,60}\bexpired (?:on|at|\d)`)},
}

var tokenSignatures = []signature{
	{name: "token expired", cause: "ExpiredToken", rank: decisive, words: []string{"expired"}, unless: []string{"certificate", "x509", "lease", "cache"},
		re: re(`(?i)(?:token|jwt|credentials?|api ?key|access key|client secret(?: keys?)?|signature|session token|kubeconfig|licen[sc]e|ticket)s?["']? (?:\S+ ){0,3}?(?:has |have |is |are |was |were |already )?expired|expired (?:\w+ )?(?:token|jwt|credentials?|api key)|TokenExpired\w*|ExpiredToken\w*|ExpiredSignature\w*|ExpiredJwt\w*|SecurityTokenExpired\w*|IDX10223|AADSTS7000222|(?P<value>invalid_grant.{0,80}expired)`)},
}

var rightSignatures = []signature{
	{name: "right of the API server", cause: "RBACForbidden", rank: decisive, words: []string{"is forbidden: user", "cannot "},
		re: re(`(?i)forbidden: User \\*"(?P<name>[^"\\]+)\\*" cannot (?P<verb>[\w*]+) (?:resource \\*"(?P<resource>[^"\\]+)\\*"|path \\*"(?P<path>[^"\\]+)\\*")(?: in API group \\*"(?P<group>[^"\\]*)\\*")?(?: (?:in the namespace \\*"(?P<namespace>[^"\\]+)\\*"|at the cluster scope))?(?P<rest>: RBAC: .{0,200}not found)?`)},
}

// databaseUser is the user as databases quote it.
const databaseUser = `["'\[]?(?P<name>[\w.@-]+)["'\]]?`

var credentialSignatures = []signature{
	{name: "postgres password", cause: "CredentialsRejected", rank: decisive, words: []string{"password authentication failed", "28p01", "pg_hba.conf", "28000"},
		re: re(`(?i)password authentication failed for user ` + databaseUser + `|no pg_hba\.conf entry for host "(?P<client>[^"]+)", user ` + `"(?P<name2>[^"]+)"|\b28P01\b|password authentication failed`)},
	{name: "mysql access denied", cause: "CredentialsRejected", rank: decisive, words: []string{"access denied for user", "is not allowed to connect"},
		re: re(`(?i)Access denied for user '(?P<name>[^']*)'(?:@'(?P<client>[^']*)')?|Host '(?P<client2>[^']*)' is not allowed to connect`)},
	{name: "redis password", cause: "CredentialsRejected", rank: decisive, words: []string{"noauth", "wrongpass", "invalid password", "without any password", "no password is set"},
		re: re(`(?i)NOAUTH\b|WRONGPASS\b|ERR invalid password|AUTH <password> called without any password|sent AUTH, but no password is set`)},
	{name: "mongo authentication", cause: "CredentialsRejected", rank: decisive, words: []string{"authentication", "scram"},
		re: re(`(?i)Mongo\w*(?:Error|Exception).{0,80}Authentication failed|Authentication failed.{0,60}code["']?: 18|SCRAM.{0,40}authentication failed|requires authentication|\bAuthenticationFailed\b`)},
	{name: "rabbitmq login", cause: "CredentialsRejected", rank: decisive, words: []string{"access_refused", "login refused", "authenticationfailure"},
		re: re(`(?i)ACCESS_REFUSED|login (?:was )?refused(?:: user '(?P<name>[^']+)')?|AuthenticationFailureException`)},
	{name: "kafka sasl", cause: "CredentialsRejected", rank: decisive, words: []string{"sasl", "not authorized to access", "topicauthorization", "groupauthorization"},
		re: re(`(?i)Not authorized to access (?:topic|group)|(?:Topic|Group)AuthorizationException|SaslAuthenticationException|SASL authentication (?:error|failed)|SASL handshake failed|failed due to:? (?:Invalid|Authentication failed)`)},
	{name: "other databases", cause: "CredentialsRejected", rank: decisive, words: []string{"login failed for user", "ora-01017", "unable to authenticate user", "missing authentication credentials", "error code 49", "invalid credentials", "authentication failed for user"},
		re: re(`(?i)(?:login failed for user|unable to authenticate user|authentication failed for user) ` + databaseUser + `|ORA-01017|missing authentication credentials|LDAP.{0,20}error code 49|invalid credentials`)},
	{name: "mail, git, ssh", cause: "CredentialsRejected", rank: decisive, words: []string{"535", "basic: access denied", "publickey", "could not read username"},
		re: re(`(?i)\b535[ -]5\.7\.\d|HTTP Basic: Access denied|Permission denied \([^)]*publickey|could not read Username`)},
	{name: "key of an API", cause: "CredentialsRejected", rank: decisive,
		words: []string{"api key", "apikey", "invalidaccesskeyid", "signaturedoesnotmatch", "invalidclienttokenid", "unrecognizedclient", "invalid_client", "bad credentials", "invalid username or password", "incorrect username or password", "invalid token", "invalid_token", "authentication failed", "invalid user name or password", "wrong password", "unauthenticated", "provide credentials", "not authorized to perform"},
		re:    re(`(?i)(?:invalid|incorrect|unknown|wrong|revoked|disabled)[ _]api[ _]?key|api[ _]?key[^.]{0,40}(?:invalid|revoked|incorrect|not valid)|InvalidAccessKeyId|SignatureDoesNotMatch|InvalidClientTokenId|UnrecognizedClientException|invalid_client|Bad credentials|(?:invalid|incorrect|wrong) user ?name (?:or|and|/) password|wrong password|invalid[ _]token|authentication failed|code = Unauthenticated|asked for the client to provide credentials|is not authorized to perform`)},
	{name: "refused by an API", cause: "CredentialsRejected", rank: decisive, words: []string{"401", "403"},
		re: re(`(?i)(?:\b(?:40[13]) Client Error|(?:failed|responded|replied|rejected|answered|returned|got|error|unexpected) (?:\w+ ){0,3}(?:with )?(?:\w+ ){0,2}(?:status )?(?:code )?[:=(]? ?40[13]\b|(?:HTTP(?:/\d(?:\.\d)?)?|status(?: code)?)[ =:]+40[13] ?(?:Unauthorized|Forbidden|\(|from|for|on)|server returned (?:error )?40[13]|40[13] (?:Unauthorized|Forbidden) (?:for|from|on|returned))`)},
}
