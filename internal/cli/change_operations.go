package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// The operations that need nothing but a target.
func restart(t v1alpha1.OperationTarget) v1alpha1.Operation {
	return v1alpha1.Operation{Restart: &v1alpha1.TargetOperation{Target: t}}
}

func suspend(t v1alpha1.OperationTarget) v1alpha1.Operation {
	return v1alpha1.Operation{Suspend: &v1alpha1.TargetOperation{Target: t}}
}

func resume(t v1alpha1.OperationTarget) v1alpha1.Operation {
	return v1alpha1.Operation{Resume: &v1alpha1.TargetOperation{Target: t}}
}

func cordon(node string) v1alpha1.Operation {
	return v1alpha1.Operation{Cordon: &v1alpha1.NodeOperation{Node: node}}
}

func uncordon(node string) v1alpha1.Operation {
	return v1alpha1.Operation{Uncordon: &v1alpha1.NodeOperation{Node: node}}
}

// plain makes a command whose operation needs nothing but its targets.
func (g *proposal) plain(use, short string, operation func(v1alpha1.OperationTarget) v1alpha1.Operation) *cobra.Command {
	return g.onTargets(use, short, func(*cobra.Command) (func(v1alpha1.OperationTarget) v1alpha1.Operation, error) { return operation, nil })
}

// onTargets makes a command that does the same to each of its targets, which may be chosen by their labels.
func (g *proposal) onTargets(use, short string, maker func(*cobra.Command) (func(v1alpha1.OperationTarget) v1alpha1.Operation, error)) *cobra.Command {
	var selector string
	c := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			operation, err := maker(c)
			if err != nil {
				return err
			}
			at, err := g.site()
			if err != nil {
				return err
			}
			targets, err := at.targets(c, args, selector)
			if err != nil {
				return err
			}
			var operations []v1alpha1.Operation
			for _, t := range targets {
				operations = append(operations, operation(t))
			}
			return g.submit(c, at, operations)
		},
	}
	c.Flags().StringVarP(&selector, "selector", "l", "", fmt.Sprintf("choose the objects of a KIND by their labels, at most %d", maxOperations))
	return c
}

// nodes makes a command about nodes.
func (g *proposal) nodes(use, short string, operation func(string) v1alpha1.Operation) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  exactly(1, maxOperations, "NODE"),
		RunE: func(c *cobra.Command, args []string) error {
			at, err := g.site()
			if err != nil {
				return err
			}
			var operations []v1alpha1.Operation
			for _, node := range args {
				operations = append(operations, operation(strings.TrimPrefix(strings.TrimPrefix(node, "node/"), "nodes/")))
			}
			return g.submit(c, at, operations)
		},
	}
}

// scaleCommand makes the command scale.
func (g *proposal) scaleCommand() *cobra.Command {
	replicas := int32(-1)
	c := g.onTargets("scale KIND/NAME... --replicas N", "Set the number of replicas", func(c *cobra.Command) (func(v1alpha1.OperationTarget) v1alpha1.Operation, error) {
		if replicas < 0 {
			return nil, usage(c, "--replicas is missing: say how many are wanted, 0 or more")
		}
		return func(t v1alpha1.OperationTarget) v1alpha1.Operation {
			return v1alpha1.Operation{Scale: &v1alpha1.ScaleOperation{Target: t, Replicas: replicas}}
		}, nil
	})
	c.Flags().Int32Var(&replicas, "replicas", -1, "number of replicas wanted")
	return c
}

// undoCommand makes the command undo.
func (g *proposal) undoCommand() *cobra.Command {
	var revision int64
	c := g.onTargets("undo KIND/NAME...", "Bring back a former pod template of workloads", func(c *cobra.Command) (func(v1alpha1.OperationTarget) v1alpha1.Operation, error) {
		if revision < 0 {
			return nil, usage(c, "--to-revision %d: choose one that kubectl rollout history lists", revision)
		}
		return func(t v1alpha1.OperationTarget) v1alpha1.Operation {
			undo := &v1alpha1.UndoOperation{Target: t}
			if revision > 0 {
				undo.ToRevision = &revision
			}
			return v1alpha1.Operation{Undo: undo}
		}, nil
	})
	c.Flags().Int64Var(&revision, "to-revision", 0, "revision to bring back; 0 is the one before the current one")
	return c
}

// patchTypes are the values of --type.
var patchTypes = []v1alpha1.PatchType{v1alpha1.PatchMerge, v1alpha1.PatchJSON, v1alpha1.PatchStrategic}

// patchCommand makes the command patch.
func (g *proposal) patchCommand() *cobra.Command {
	var patch, kind string
	c := g.onTargets("patch KIND/NAME... --patch PATCH", "Patch objects", func(c *cobra.Command) (func(v1alpha1.OperationTarget) v1alpha1.Operation, error) {
		var form v1alpha1.PatchType
		if !choose(kind, &form, patchTypes...) {
			return nil, usage(c, "--type %q: choose merge, json or strategic", kind)
		}
		var parsed any
		if err := yaml.Unmarshal([]byte(patch), &parsed); err != nil || parsed == nil {
			return nil, usage(c, "--patch is neither JSON nor YAML")
		}
		if _, list := parsed.([]any); list != (form == v1alpha1.PatchJSON) {
			return nil, usage(c, "a patch of --type json is a list of operations, and one of another type is an object")
		}
		return func(t v1alpha1.OperationTarget) v1alpha1.Operation {
			return v1alpha1.Operation{Patch: &v1alpha1.PatchOperation{Target: t, Type: form, Patch: patch}}
		}, nil
	})
	c.Flags().StringVarP(&patch, "patch", "p", "", "the patch, as JSON or YAML")
	c.Flags().StringVar(&kind, "type", "merge", "form of the patch: merge, json or strategic")
	return c
}

// cascades are the values of --cascade.
var cascades = []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan}

// deleteCommand makes the command delete.
func (g *proposal) deleteCommand() *cobra.Command {
	var cascade string
	c := g.onTargets("delete KIND/NAME...", "Delete objects", func(c *cobra.Command) (func(v1alpha1.OperationTarget) v1alpha1.Operation, error) {
		var propagation metav1.DeletionPropagation
		if !choose(cascade, &propagation, cascades...) {
			return nil, usage(c, "--cascade %q: choose background, foreground or orphan", cascade)
		}
		return func(t v1alpha1.OperationTarget) v1alpha1.Operation {
			return v1alpha1.Operation{Delete: &v1alpha1.DeleteOperation{Target: t, Propagation: propagation}}
		}, nil
	})
	c.Flags().StringVar(&cascade, "cascade", "background", "what becomes of the objects they own: background, foreground or orphan")
	return c
}

// setCommand makes the command set image, in kubectl's words.
func (g *proposal) setCommand() *cobra.Command {
	image := &cobra.Command{
		Use:     "image KIND/NAME [CONTAINER=]IMAGE...",
		Short:   "Give containers of a workload other images",
		Example: `  kubectl eclusier change set image deployment/cart cart=registry.example/cart:1.4 --reason "fix the rounding"`,
		Args:    exactly(2, maxOperations+1, "KIND/NAME [CONTAINER=]IMAGE"),
		RunE: func(c *cobra.Command, args []string) error {
			at, err := g.site()
			if err != nil {
				return err
			}
			targets, err := at.targets(c, args[:1], "")
			if err != nil {
				return err
			}
			var operations []v1alpha1.Operation
			for _, text := range args[1:] {
				container, name, named := strings.Cut(text, "=")
				if !named {
					container, name = "", text
				}
				if name == "" || named && container == "" {
					return usage(c, "%q: write CONTAINER=IMAGE, or IMAGE where there is one container", text)
				}
				operations = append(operations, v1alpha1.Operation{SetImage: &v1alpha1.SetImageOperation{Target: targets[0], Container: container, Image: name}})
			}
			return g.submit(c, at, operations)
		},
	}
	set := &cobra.Command{
		Use: "set", Short: "Set the images of a workload", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	set.AddCommand(image)
	return set
}
