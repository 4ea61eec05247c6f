package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// maxFile bounds what is read from one file.
const maxFile = 8 << 20

// manifestExtensions are the endings of the files that are read from a folder, as kubectl does.
var manifestExtensions = []string{".yaml", ".yml", ".json"}

// readManifests reads every object of a file, a folder or standard input ("-"). Lists are taken apart.
func (cmd *command) readManifests(path string) ([]*unstructured.Unstructured, error) {
	if path == "-" {
		return decodeManifests("standard input", cmd.In)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	files := []string{path}
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		files = nil
		for _, e := range entries {
			if !e.IsDir() && slices.Contains(manifestExtensions, filepath.Ext(e.Name())) {
				files = append(files, filepath.Join(path, e.Name()))
			}
		}
	}
	var all []*unstructured.Unstructured
	for _, file := range files {
		opened, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		found, err := decodeManifests(file, opened)
		_ = opened.Close() // it was only read
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// decodeManifests reads objects of YAML or JSON, several if there are.
func decodeManifests(name string, in io.Reader) ([]*unstructured.Unstructured, error) {
	decoder := utilyaml.NewYAMLOrJSONDecoder(io.LimitReader(in, maxFile), 4096)
	var all []*unstructured.Unstructured
	for {
		var document runtime.RawExtension
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if content := bytes.TrimSpace(document.Raw); len(content) == 0 || string(content) == "null" {
			continue
		}
		one := &unstructured.Unstructured{}
		if err := one.UnmarshalJSON(document.Raw); err != nil {
			return nil, fmt.Errorf("%s: an object cannot be read: %w", name, err)
		}
		if !one.IsList() {
			all = append(all, one)
			continue
		}
		list, err := one.ToList()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i := range list.Items {
			all = append(all, &list.Items[i])
		}
	}
}

// readChange reads the one ChangeRequest that a file holds. A field that there is not is an error: a check that is
// misspelled would be a check that is not made.
func (cmd *command) readChange(path string) (*v1alpha1.ChangeRequest, error) {
	found, err := cmd.readManifests(path)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 || found[0].GetKind() != "ChangeRequest" || found[0].GroupVersionKind().Group != v1alpha1.GroupVersion.Group {
		return nil, fmt.Errorf("%s: one ChangeRequest is wanted here; objects to be applied are given to change apply -f", path)
	}
	request := &v1alpha1.ChangeRequest{}
	if err := strictly(found[0], request); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	request.Status = v1alpha1.ChangeRequestStatus{}
	return request, nil
}

// strictly reads an object into its type, and takes no field that the type does not have.
func strictly(o *unstructured.Unstructured, into any) error {
	data, err := json.Marshal(o.Object)
	if err != nil {
		return err
	}
	return yaml.UnmarshalStrict(data, into)
}

// fromFile proposes the ChangeRequest of a file.
func (g *proposal) fromFile(c *cobra.Command, path string) error {
	at, err := g.site()
	if err != nil {
		return err
	}
	request, err := g.readChange(path)
	if err != nil {
		return err
	}
	switch {
	case request.Namespace == "":
		request.Namespace = at.namespace
	case g.connection.namespaceFlag() != "" && request.Namespace != at.namespace:
		return usage(c, "the file says namespace %s, and -n says %s", request.Namespace, at.namespace)
	}
	return g.propose(c, at, request)
}

// applyCommand makes the command apply.
func (g *proposal) applyCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "apply -f FILE",
		Short: "Create the objects of a file or folder, or change them, by server-side apply",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			at, err := g.site()
			if err != nil {
				return err
			}
			found, err := g.manifests(c, file)
			if err != nil {
				return err
			}
			return g.submit(c, at, g.applied(found...))
		},
	}
	c.Flags().StringVarP(&file, "filename", "f", "", "file or folder with the objects; - is standard input")
	return c
}

// createCommand makes the command create.
func (g *proposal) createCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "create -f FILE",
		Short: "Create the objects of a file or folder, none of which may exist",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			found, err := g.manifests(c, file)
			if err != nil {
				return err
			}
			return g.createNew(c, found)
		},
	}
	c.Flags().StringVarP(&file, "filename", "f", "", "file or folder with the objects; - is standard input")
	c.AddCommand(&cobra.Command{
		Use:   "namespace NAME",
		Short: "Create a namespace",
		Args:  exactly(1, 1, "NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
			namespace.SetName(args[0])
			return g.createNew(c, []*unstructured.Unstructured{namespace})
		},
	})
	return c
}

// createNew proposes to create objects, unless one of them exists.
func (g *proposal) createNew(c *cobra.Command, objects []*unstructured.Unstructured) error {
	at, err := g.site()
	if err != nil {
		return err
	}
	if g.dryRun == dryRunClient {
		return g.submit(c, at, g.applied(objects...))
	}
	for _, o := range objects {
		there, err := at.twin(c.Context(), o)
		if err != nil {
			return err
		}
		if there != nil {
			return fmt.Errorf("%s exists already: change it with change apply -f", object(o.GetKind(), there.GetNamespace(), o.GetName()))
		}
	}
	return g.submit(c, at, g.applied(objects...))
}

// manifests reads the objects to be applied, in the order in which they can be: namespaces and kinds first.
func (g *proposal) manifests(c *cobra.Command, file string) ([]*unstructured.Unstructured, error) {
	if file == "" {
		return nil, usage(c, "-f FILE is missing")
	}
	found, err := g.readManifests(file)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s holds no object", file)
	}
	for _, o := range found {
		if err := proposable(o); err != nil {
			return nil, err
		}
	}
	first := func(o *unstructured.Unstructured) int {
		return slices.Index([]string{"Namespace", "CustomResourceDefinition"}, o.GetKind())
	}
	slices.SortStableFunc(found, func(a, b *unstructured.Unstructured) int {
		x, y := first(a), first(b)
		switch {
		case x == y:
			return 0
		case y < 0, x >= 0 && x < y:
			return -1
		}
		return 1
	})
	return found, nil
}

// proposable says why an object cannot be part of a ChangeRequest.
func proposable(o *unstructured.Unstructured) error {
	group := o.GroupVersionKind().Group
	what := object(o.GetKind(), o.GetNamespace(), o.GetName())
	switch {
	case o.GetName() == "":
		return fmt.Errorf("a %s has no name: a change says beforehand what it makes", o.GetKind())
	case o.GetKind() == "Secret" && group == "":
		return errors.New(what + ": Secrets are not changed through eclusier, and its values would lie open in the ChangeRequest; change it where it is kept")
	case group == v1alpha1.GroupVersion.Group:
		return errors.New(what + ": eclusier does not change its own objects")
	}
	return nil
}

// applied makes an apply operation of each object, without what the API server or a controller writes.
func (cmd *command) applied(objects ...*unstructured.Unstructured) []v1alpha1.Operation {
	var operations []v1alpha1.Operation
	for _, o := range objects {
		operations = append(operations, v1alpha1.Operation{Apply: &v1alpha1.ApplyOperation{
			Manifest: runtime.RawExtension{Raw: []byte(compact(cmd.Normal(o)))},
		}})
	}
	return operations
}

// compact writes content as JSON in a line.
func compact(content map[string]any) string {
	data, err := json.Marshal(content)
	if err != nil {
		panic(err) // content that was read as JSON is JSON
	}
	return string(data)
}

// manifestOf is a ChangeRequest as a file has it: no status, and nothing that the API server writes.
func manifestOf(request *v1alpha1.ChangeRequest) map[string]any {
	metadata := map[string]any{"name": request.Name}
	if request.Namespace != "" {
		metadata["namespace"] = request.Namespace
	}
	if len(request.Labels) > 0 {
		metadata["labels"] = request.Labels
	}
	if len(request.Annotations) > 0 {
		metadata["annotations"] = request.Annotations
	}
	spec := request.Spec
	spec.RequestedBy = nil
	return map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": "ChangeRequest", "metadata": metadata, "spec": spec,
	}
}
