package diagnose

// networkCauses concern services, ingress, policies, DNS, webhooks, rights, certificates and what dependencies answer.
var networkCauses = []*cause{}
