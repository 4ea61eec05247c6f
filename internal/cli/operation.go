package cli

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// aimed are the operations that name their object, and how they do.
var aimed = map[v1alpha1.OperationName]func(v1alpha1.Operation) *v1alpha1.OperationTarget{
	"patch": func(o v1alpha1.Operation) *v1alpha1.OperationTarget {
		if o.Patch == nil {
			return nil
		}
		return &o.Patch.Target
	},
	"scale": func(o v1alpha1.Operation) *v1alpha1.OperationTarget {
		if o.Scale == nil {
			return nil
		}
		return &o.Scale.Target
	},
	"setImage": func(o v1alpha1.Operation) *v1alpha1.OperationTarget {
		if o.SetImage == nil {
			return nil
		}
		return &o.SetImage.Target
	},
	"undo": func(o v1alpha1.Operation) *v1alpha1.OperationTarget {
		if o.Undo == nil {
			return nil
		}
		return &o.Undo.Target
	},
	"delete": func(o v1alpha1.Operation) *v1alpha1.OperationTarget {
		if o.Delete == nil {
			return nil
		}
		return &o.Delete.Target
	},
	"restart":  func(o v1alpha1.Operation) *v1alpha1.OperationTarget { return bare(o.Restart) },
	"suspend":  func(o v1alpha1.Operation) *v1alpha1.OperationTarget { return bare(o.Suspend) },
	"resume":   func(o v1alpha1.Operation) *v1alpha1.OperationTarget { return bare(o.Resume) },
	"cordon":   func(o v1alpha1.Operation) *v1alpha1.OperationTarget { return node(o.Cordon) },
	"uncordon": func(o v1alpha1.Operation) *v1alpha1.OperationTarget { return node(o.Uncordon) },
	"apply": func(o v1alpha1.Operation) *v1alpha1.OperationTarget {
		if o.Apply == nil {
			return nil
		}
		made := manifestOfApply(o)
		return &v1alpha1.OperationTarget{APIVersion: made.GetAPIVersion(), Kind: made.GetKind(), Namespace: made.GetNamespace(), Name: made.GetName()}
	},
}

func bare(o *v1alpha1.TargetOperation) *v1alpha1.OperationTarget {
	if o == nil {
		return nil
	}
	return &o.Target
}

func node(o *v1alpha1.NodeOperation) *v1alpha1.OperationTarget {
	if o == nil {
		return nil
	}
	return &v1alpha1.OperationTarget{APIVersion: "v1", Kind: "Node", Name: o.Node}
}

// subjectOf says what an operation does, and to which object. Exactly one of an operation's fields is set; of none, nothing
// is known.
func subjectOf(o v1alpha1.Operation) (v1alpha1.OperationName, v1alpha1.OperationTarget) {
	for name, target := range aimed {
		if t := target(o); t != nil {
			return name, *t
		}
	}
	return "", v1alpha1.OperationTarget{}
}

// manifestOfApply reads the manifest of an apply operation; one that cannot be read is empty.
func manifestOfApply(o v1alpha1.Operation) *unstructured.Unstructured {
	made := &unstructured.Unstructured{}
	if err := made.UnmarshalJSON(o.Apply.Manifest.Raw); err != nil {
		return &unstructured.Unstructured{Object: map[string]any{}}
	}
	return made
}
