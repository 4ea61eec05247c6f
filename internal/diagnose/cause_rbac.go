package diagnose

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

var rbacForbidden = cause{
	id: "RBACForbidden", severity: High,
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.fromLog("RBACForbidden", s, h)
		namespace, name, ok := accountOf(h.vars["name"])
		if !ok {
			return f
		}
		x.want(cluster.Want{What: cluster.WantNamespace, Namespace: namespace})
		if n := h.vars["namespace"]; n != "" {
			x.want(cluster.Want{What: cluster.WantNamespace, Namespace: n})
		}
		f.links.weak = false
		at, evidence := x.lackingRight(s.work, namespace, name, h)
		f.Object = at.ref
		f.Absent = at.absent
		f.Evidence = append(f.Evidence, evidence...)
		account := ref("ServiceAccount", namespace, name)
		f.links.affects = append([]cluster.Ref{s.work.ref, account}, x.keptFromMaking(h)...)
		f.Message = x.say("RBACForbidden.right", s.work.ref.String(), account.String(), h.vars["verb"], h.given("resource", "path"), h.vars["namespace"])
		f.Fix = x.say("RBACForbidden."+at.fix, at.ref.String(), account.String(), h.vars["verb"], h.given("resource", "path"))
		return f
	},
	texts: texts{
		english: map[string]string{
			"RBACForbidden.message":    "Container %[1]s of %[2]s is refused a right: %[3]s",
			"RBACForbidden.fix":        "Grant the account of %[2]s the right that it lacks: %[3]s",
			"RBACForbidden.right":      "%[1]s may not do its work because its account %[2]s lacks the right to %[3]s %[4]s",
			"RBACForbidden.fixSubject": "Let %[1]s name the account %[2]s as its subject. Granting rights is for a person to decide, so no operation is proposed.",
			"RBACForbidden.fixRole":    "Add the verb %[3]s on %[4]s to %[1]s, no more than that. Granting rights is for a person to decide, so no operation is proposed.",
			"RBACForbidden.fixAbsent":  "Create %[1]s, which a binding of %[2]s refers to, with %[3]s on %[4]s. Granting rights is for a person to decide, so no operation is proposed.",
			"RBACForbidden.fixBind":    "Bind a role that allows %[3]s on %[4]s to %[2]s, no more than that. Granting rights is for a person to decide, so no operation is proposed.",
			"RBACForbidden.fixAccount": "Let %[1]s run under an account of its own (serviceAccountName) that may %[3]s %[4]s; it runs as %[2]s. Granting rights is for a person to decide.",
			"RBACForbidden.fixScope":   "%[1]s grants the right in one namespace, and %[2]s asks for %[3]s on %[4]s in another or in all: bind the role there, or let the workload ask for its namespace alone.",
		},
		french: map[string]string{
			"RBACForbidden.message":    "Un droit est refusé au conteneur %[1]s de %[2]s : %[3]s",
			"RBACForbidden.fix":        "Accordez au compte de %[2]s le droit qui lui manque : %[3]s",
			"RBACForbidden.right":      "%[1]s ne peut pas faire son travail parce que son compte %[2]s n'a pas le droit %[3]s sur %[4]s",
			"RBACForbidden.fixSubject": "Faites désigner à %[1]s le compte %[2]s comme sujet. Accorder des droits revient à une personne, aucune opération n'est donc proposée.",
			"RBACForbidden.fixRole":    "Ajoutez à %[1]s le verbe %[3]s sur %[4]s, rien de plus. Accorder des droits revient à une personne, aucune opération n'est donc proposée.",
			"RBACForbidden.fixAbsent":  "Créez %[1]s, auquel une liaison de %[2]s renvoie, avec %[3]s sur %[4]s. Accorder des droits revient à une personne, aucune opération n'est donc proposée.",
			"RBACForbidden.fixBind":    "Liez à %[2]s un rôle qui permet %[3]s sur %[4]s, rien de plus. Accorder des droits revient à une personne, aucune opération n'est donc proposée.",
			"RBACForbidden.fixAccount": "Donnez à %[1]s un compte à lui (serviceAccountName) qui a le droit %[3]s sur %[4]s ; il tourne sous %[2]s. Accorder des droits revient à une personne.",
			"RBACForbidden.fixScope":   "%[1]s accorde le droit dans un espace de noms, et %[2]s demande %[3]s sur %[4]s dans un autre ou dans tous : liez le rôle là-bas, ou limitez la charge à son espace de noms.",
		},
	},
}

// accountOf reads the account out of the user name of a ServiceAccount.
func accountOf(user string) (namespace, name string, ok bool) {
	rest, ok := strings.CutPrefix(user, "system:serviceaccount:")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, ":")
}

// lackOfRight is the object that has to change for an account to get a right, and the text that says how.
type lackOfRight struct {
	ref    cluster.Ref
	absent bool
	fix    string
}

// binding is a RoleBinding or ClusterRoleBinding.
type binding struct {
	ref      cluster.Ref
	subjects []rbacv1.Subject
	role     cluster.Ref
}

func (x *exam) bindings() []binding {
	var out []binding
	role := func(namespace string, r rbacv1.RoleRef) cluster.Ref {
		if r.Kind == "ClusterRole" {
			namespace = ""
		}
		return ref(r.Kind, namespace, r.Name)
	}
	for _, b := range x.snap.RoleBindings {
		out = append(out, binding{ref("RoleBinding", b.Namespace, b.Name), b.Subjects, role(b.Namespace, b.RoleRef)})
	}
	for _, b := range x.snap.ClusterBindings {
		out = append(out, binding{ref("ClusterRoleBinding", "", b.Name), b.Subjects, role("", b.RoleRef)})
	}
	return out
}

// lackingRight finds what keeps an account from a right: a binding that names it almost, a role that does not exist
// or lacks the rule, a binding that reaches only another namespace, or nothing that was ever granted.
func (x *exam) lackingRight(w *workload, namespace, name string, h hit) (lackOfRight, []Evidence) {
	var bound []binding
	for _, b := range x.bindings() {
		if slices.ContainsFunc(b.subjects, func(s rbacv1.Subject) bool { return fits(s, namespace, name) }) {
			bound = append(bound, b)
		}
	}
	if at, evidence, ok := x.almostBound(namespace, name, h); ok {
		return at, evidence
	}
	if at, evidence, ok := x.boundInVain(bound, h); ok {
		return at, evidence
	}
	// A role that everybody has is not the place for one account's rights.
	own := slices.DeleteFunc(bound, func(b binding) bool {
		return !slices.ContainsFunc(b.subjects, func(s rbacv1.Subject) bool { return s.Kind != "Group" && fits(s, namespace, name) })
	})
	if len(own) > 0 {
		best := x.closestRole(own, h)
		rules, _ := x.rulesOf(best.role)
		return lackOfRight{best.role, false, "fixRole"}, append(ruleEvidence(best.role, rules, h), field(best.ref, "roleRef.name", best.role.Name))
	}
	account := ref("ServiceAccount", namespace, name)
	evidence := []Evidence{cite(AbsenceEvidence, "RoleBindings and ClusterRoleBindings", "no binding names "+account.String(), 0)}
	if name == "default" && w.namespace() == namespace {
		return lackOfRight{w.ref, false, "fixAccount"}, append(evidence, field(w.ref, "spec.template.spec.serviceAccountName", w.template.Spec.ServiceAccountName))
	}
	return lackOfRight{account, false, "fixBind"}, append(evidence, field(account, "metadata.name", name))
}

// boundInVain finds a binding to a role that does not exist, or one that would grant the right but in another namespace.
func (x *exam) boundInVain(bound []binding, h hit) (lackOfRight, []Evidence, bool) {
	for _, b := range bound {
		evidence := []Evidence{field(b.ref, "roleRef.name", b.role.Name)}
		rules, there := x.rulesOf(b.role)
		switch {
		case !there && x.absent(b.role):
			return lackOfRight{b.role, true, "fixAbsent"}, append(evidence, cite(AbsenceEvidence, b.role.String(), b.role.String()+" does not exist", 0)), true
		case there && allows(rules, h) && b.ref.Kind == "RoleBinding" && b.ref.Namespace != h.vars["namespace"]:
			return lackOfRight{b.ref, false, "fixScope"}, append(evidence, field(b.ref, "metadata.namespace", b.ref.Namespace)), true
		}
	}
	return lackOfRight{}, nil, false
}

func fits(s rbacv1.Subject, namespace, name string) bool {
	switch s.Kind {
	case "ServiceAccount":
		return s.Namespace == namespace && s.Name == name
	case "User":
		return s.Name == "system:serviceaccount:"+namespace+":"+name
	case "Group":
		return s.Name == "system:serviceaccounts" || s.Name == "system:serviceaccounts:"+namespace
	}
	return false
}

// almostBound finds a binding that would grant the right if its subject named the account: the same name in another
// namespace, or a name that is a slip away.
func (x *exam) almostBound(namespace, name string, h hit) (lackOfRight, []Evidence, bool) {
	for _, b := range x.bindings() {
		if !b.reaches(h.vars["namespace"]) {
			continue
		}
		rules, there := x.rulesOf(b.role)
		if !there || !allows(rules, h) {
			continue
		}
		for _, s := range b.subjects {
			if x.meantFor(s, namespace, name) {
				return lackOfRight{b.ref, false, "fixSubject"}, []Evidence{
					field(b.ref, "subjects.name", s.Name), field(b.ref, "subjects.namespace", s.Namespace), field(b.ref, "roleRef.name", b.role.Name),
				}, true
			}
		}
	}
	return lackOfRight{}, nil, false
}

// reaches says that a binding grants in the namespace or, where that is empty, in the whole cluster.
func (b binding) reaches(namespace string) bool {
	return b.ref.Kind != "RoleBinding" || namespace != "" && b.ref.Namespace == namespace
}

// meantFor says that a subject is a slip away from an account: it has its name in another namespace, or a name like it that
// nobody has.
func (x *exam) meantFor(s rbacv1.Subject, namespace, name string) bool {
	if s.Kind != "ServiceAccount" {
		return false
	}
	if s.Name == name {
		return s.Namespace != namespace
	}
	return s.Namespace == namespace && similar(name, []string{s.Name}) == s.Name && !x.exists(ref("ServiceAccount", s.Namespace, s.Name))
}

func (x *exam) rulesOf(role cluster.Ref) ([]rbacv1.PolicyRule, bool) {
	switch o := x.objects[role].(type) {
	case *rbacv1.Role:
		return o.Rules, true
	case *rbacv1.ClusterRole:
		return o.Rules, true
	}
	x.want(wantObject(role))
	return nil, false
}

func allows(rules []rbacv1.PolicyRule, h hit) bool {
	return slices.ContainsFunc(rules, func(r rbacv1.PolicyRule) bool {
		return has(r.Verbs, h.vars["verb"]) && (has(r.Resources, h.vars["resource"]) && has(r.APIGroups, h.vars["group"]) || h.vars["path"] != "" && has(r.NonResourceURLs, h.vars["path"]))
	})
}

func has(list []string, one string) bool {
	return slices.Contains(list, one) || slices.Contains(list, "*")
}

// closestRole is the bound role that is nearest to the right: it knows the resource, or its group, or is the first.
func (x *exam) closestRole(bound []binding, h hit) binding {
	best, bestScore := bound[0], -1
	for _, b := range bound {
		rules, _ := x.rulesOf(b.role)
		score := 0
		for _, r := range rules {
			switch {
			case has(r.Resources, h.vars["resource"]) && has(r.APIGroups, h.vars["group"]):
				score = max(score, 2)
			case has(r.APIGroups, h.vars["group"]):
				score = max(score, 1)
			}
		}
		if score > bestScore {
			best, bestScore = b, score
		}
	}
	return best
}

func ruleEvidence(role cluster.Ref, rules []rbacv1.PolicyRule, h hit) []Evidence {
	var out []Evidence
	for _, r := range rules {
		if has(r.APIGroups, h.vars["group"]) && len(out) < 4 {
			out = append(out, field(role, "rules.resources", strings.Join(r.Resources, ", ")), field(role, "rules.verbs", strings.Join(r.Verbs, ", ")))
		}
	}
	return out
}
