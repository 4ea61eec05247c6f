package diagnose

import (
	"fmt"

	"github.com/eclusier/eclusier/internal/cluster"
)

var imagePullUnauthorized = cause{
	id: "ImagePullUnauthorized", severity: High,
	check: func(x *exam) {
		for _, p := range x.pulls() {
			if pullKind(p) == "ImagePullUnauthorized" {
				x.add(x.refusedPull(p))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"ImagePullUnauthorized.message": "The registry refuses to hand out image %[1]s to container %[2]s of %[3]s: the credentials are missing or not accepted",
			"ImagePullUnauthorized.absent":  "The image pull secret %[1]s that %[2]s names does not exist, so the registry refuses image %[3]s",
			"ImagePullUnauthorized.fix":     "Give %[1]s an imagePullSecret whose credentials the registry accepts for %[2]s; credentials cannot be made from here.",
			"ImagePullUnauthorized.near":    "Correct the name of the imagePullSecret in %[1]s to %[2]s, which exists, or create %[3]s.",
		},
		french: map[string]string{
			"ImagePullUnauthorized.message": "Le registre refuse de fournir l'image %[1]s au conteneur %[2]s de %[3]s : les identifiants manquent ou ne sont pas acceptés",
			"ImagePullUnauthorized.absent":  "Le secret de téléchargement %[1]s que %[2]s désigne n'existe pas, le registre refuse donc l'image %[3]s",
			"ImagePullUnauthorized.fix":     "Donnez à %[1]s un imagePullSecret dont le registre accepte les identifiants pour %[2]s ; des identifiants ne peuvent pas être créés d'ici.",
			"ImagePullUnauthorized.near":    "Corrigez le nom de l'imagePullSecret de %[1]s en %[2]s, qui existe, ou créez %[3]s.",
		},
	},
}

func (x *exam) refusedPull(p pull) Finding {
	w := p.work.ref
	f := Finding{
		Cause: "ImagePullUnauthorized", Object: w, Evidence: p.evidence, links: links{explains: []*symptom{p.symptom}},
		Message: x.say("ImagePullUnauthorized.message", p.image, p.container, w.String()),
		Fix:     x.say("ImagePullUnauthorized.fix", w.String(), p.image),
	}
	for i, s := range p.pod().Spec.ImagePullSecrets {
		secret := ref("Secret", w.Namespace, s.Name)
		if !x.pullSecretGone(p, secret) {
			f.Evidence = append(f.Evidence, cite(FieldEvidence, w.String()+" spec.template.spec", "imagePullSecrets: "+s.Name, 0))
			f.links.affects = append(f.links.affects, secret)
			continue
		}
		f.Object, f.Absent = secret, true
		f.Message = x.say("ImagePullUnauthorized.absent", secret.String(), w.String(), p.image)
		f.Evidence = append(f.Evidence, field(w, fmt.Sprintf("spec.template.spec.imagePullSecrets[%d].name", i), s.Name))
		if near := similar(s.Name, x.namesOf("Secret", w.Namespace)); near != "" {
			f.Fix = x.say("ImagePullUnauthorized.near", w.String(), near, s.Name)
			f.links.affects = append(f.links.affects, ref("Secret", w.Namespace, near))
			f.Operation = podPatch(w, map[string]any{"imagePullSecrets": []any{map[string]any{"name": near}}})
		}
		break
	}
	return f
}

// pullSecretGone says that a secret to pull with does not exist, by the snapshot or by the kubelet's word.
func (x *exam) pullSecretGone(p pull, secret cluster.Ref) bool {
	if x.absent(secret) {
		return true
	}
	e := x.lastEvent(podRefs(p.pods), "FailedToRetrieveImagePullSecret")
	return e != nil && !x.exists(secret) && namedIn(e.Message, secret.Name)
}

// namesOf lists the names of the objects of a kind in a namespace.
func (x *exam) namesOf(kind, namespace string) []string {
	var out []string
	for _, r := range x.byKind[kind] {
		if r.Namespace == namespace {
			out = append(out, r.Name)
		}
	}
	return out
}
