package diagnose

// networkCauses concern services, ingress, policies, DNS, webhooks, rights, certificates and what dependencies answer.
var networkCauses = []*cause{
	&admissionWebhookUnavailable, &dnsFailure, &selectorMismatch, &servicePortMismatch, &ingressBackendMissing,
	&networkPolicyBlocks, &rbacForbidden, &tlsCertExpired, &expiredToken, &clockSkew, &connectionPoolExhausted,
	&credentialsRejected, &tooManyOpenFiles, &serviceWithoutEndpoints,
}
