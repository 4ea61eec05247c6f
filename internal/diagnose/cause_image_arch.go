package diagnose

import corev1 "k8s.io/api/core/v1"

var imageArchMismatch = cause{
	id: "ImageArchMismatch", severity: High,
	check: func(x *exam) {
		for _, p := range x.pulls() {
			if pullKind(p) == "ImageArchMismatch" {
				f := x.wrongArch(p.symptom)
				f.Evidence = append(p.evidence, f.Evidence...)
				x.add(f)
			}
		}
	},
	fromLog: func(x *exam, s *symptom, h hit) *Finding {
		f := x.wrongArch(s)
		f.Evidence = append([]Evidence{h.evidence()}, f.Evidence...)
		return &f
	},
	texts: texts{
		english: map[string]string{
			"ImageArchMismatch.message": "Image %[1]s of container %[2]s in %[3]s is not built for the architecture %[4]s of the node it runs on",
			"ImageArchMismatch.fix":     "Build the image of container %[1]s for %[2]s as well, or keep %[3]s on other nodes with a nodeSelector on kubernetes.io/arch.",
		},
		french: map[string]string{
			"ImageArchMismatch.message": "L'image %[1]s du conteneur %[2]s de %[3]s n'est pas construite pour l'architecture %[4]s du nœud où il tourne",
			"ImageArchMismatch.fix":     "Construisez l'image du conteneur %[1]s aussi pour %[2]s, ou gardez %[3]s sur d'autres nœuds par un nodeSelector sur kubernetes.io/arch.",
		},
	},
}

func (x *exam) wrongArch(s *symptom) Finding {
	image, arch := "", "?"
	if c := s.spec(); c != nil {
		image = c.Image
	}
	f := Finding{Cause: "ImageArchMismatch", Object: s.work.ref, Evidence: x.ending(s), links: links{explains: []*symptom{s}}}
	f.Evidence = append(f.Evidence, x.containerField(s, "image", image))
	if n := get[*corev1.Node](x.index, "Node", "", s.pod().Spec.NodeName); n != nil {
		arch = n.Status.NodeInfo.Architecture
		f.Evidence = append(f.Evidence, field(ref("Node", "", n.Name), "status.nodeInfo.architecture", arch))
		if l := n.Labels[corev1.LabelArchStable]; l != "" {
			f.Evidence = append(f.Evidence, cite(FieldEvidence, "Node "+n.Name+" metadata.labels", corev1.LabelArchStable+": "+l, 0))
		}
	}
	f.Message = x.say("ImageArchMismatch.message", image, s.container, s.work.ref.String(), arch)
	f.Fix = x.say("ImageArchMismatch.fix", s.container, arch, s.work.ref.String())
	return f
}
