package diagnose

var imageNotFound = cause{
	id: "ImageNotFound", severity: High,
	check: func(x *exam) {
		for _, p := range x.pulls() {
			if pullKind(p) == "ImageNotFound" {
				x.add(x.missingImage(p))
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"ImageNotFound.message": "The image %[1]s of container %[2]s in %[3]s does not exist in its registry",
			"ImageNotFound.fix":     "Set the image of container %[1]s to a tag or digest that exists.",
			"ImageNotFound.fixUndo": "Set the image of container %[1]s to a tag or digest that exists, or go back to revision %[2]s, which ran %[3]s.",
		},
		french: map[string]string{
			"ImageNotFound.message": "L'image %[1]s du conteneur %[2]s de %[3]s n'existe pas dans son registre",
			"ImageNotFound.fix":     "Donnez au conteneur %[1]s une étiquette ou une empreinte d'image qui existe.",
			"ImageNotFound.fixUndo": "Donnez au conteneur %[1]s une étiquette d'image qui existe, ou revenez à la révision %[2]s, qui utilisait %[3]s.",
		},
	},
}

func (x *exam) missingImage(p pull) Finding {
	f := Finding{
		Cause: "ImageNotFound", Object: p.work.ref, Evidence: p.evidence, links: links{explains: []*symptom{p.symptom}},
		Message: x.say("ImageNotFound.message", p.image, p.container, p.work.ref.String()),
		Fix:     x.say("ImageNotFound.fix", p.container),
	}
	former := p.work.formerSet()
	if former == nil {
		return f
	}
	if c := containerOf(&former.Spec.Template.Spec, p.container); c != nil && c.Image != p.image {
		f.Fix = x.say("ImageNotFound.fixUndo", p.container, number(revision(former)), c.Image)
		f.Operation = undoOperation(p.work.ref, revision(former))
	}
	return f
}
