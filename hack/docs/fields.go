package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// fieldPage renders the fields of the kind that the CRD file defines, and returns the kind in lower case with it.
func fieldPage(file string) (name, page string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &crd); err != nil {
		return "", "", err
	}
	version := crd.Spec.Versions[0]
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n\nGenerated from `%s` by `make docs`. Group `%s`, version `%s`, short name `%s`.\n",
		crd.Spec.Names.Kind, file, crd.Spec.Group, version.Name, strings.Join(crd.Spec.Names.ShortNames, "`, `"))
	root := version.Schema.OpenAPIV3Schema
	for _, part := range []string{"spec", "status"} {
		schema := root.Properties[part]
		fmt.Fprintf(&out, "\n## %s\n\n%s\n\n| Field | Type | Meaning |\n|---|---|---|\n", part, paragraph(schema.Description))
		fields(&out, "", schema)
		refusals(&out, schema)
	}
	return strings.ToLower(crd.Spec.Names.Kind), out.String(), nil
}

// fields renders one row for each field, parents before children.
func fields(out *strings.Builder, prefix string, schema apiextensionsv1.JSONSchemaProps) {
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		field := schema.Properties[name]
		path := prefix + name
		required := ""
		if slices.Contains(schema.Required, name) {
			required = " **Required.**"
		}
		fmt.Fprintf(out, "| `%s` | %s | %s%s%s |\n", path, typeOf(field), paragraph(field.Description), bounds(field), required)
		if field.Items != nil && field.Items.Schema != nil {
			fields(out, path+"[].", *field.Items.Schema)
		}
		fields(out, path+".", field)
	}
}

// refusals lists the validation rules of the object itself by their messages.
func refusals(out *strings.Builder, schema apiextensionsv1.JSONSchemaProps) {
	if len(schema.XValidations) == 0 {
		return
	}
	out.WriteString("\nRefused with:\n\n")
	for _, rule := range schema.XValidations {
		fmt.Fprintf(out, "* %s\n", paragraph(rule.Message))
	}
}

func typeOf(field apiextensionsv1.JSONSchemaProps) string {
	if field.Items != nil && field.Items.Schema != nil {
		return "list of " + typeOf(*field.Items.Schema)
	}
	if field.XIntOrString {
		return "integer or string"
	}
	if field.Format != "" {
		return field.Type + " (" + field.Format + ")"
	}
	return field.Type
}

// bounds says which values a field takes.
func bounds(field apiextensionsv1.JSONSchemaProps) string {
	var said []string
	if len(field.Enum) > 0 {
		var values []string
		for _, value := range field.Enum {
			values = append(values, "`"+strings.Trim(string(value.Raw), `"`)+"`")
		}
		said = append(said, "One of "+strings.Join(values, ", ")+".")
	}
	if field.Default != nil {
		said = append(said, "Default `"+strings.Trim(string(field.Default.Raw), `"`)+"`.")
	}
	if field.MaxLength != nil {
		said = append(said, fmt.Sprintf("At most %d characters.", *field.MaxLength))
	}
	if field.MaxItems != nil {
		said = append(said, fmt.Sprintf("At most %d items.", *field.MaxItems))
	}
	if len(said) == 0 {
		return ""
	}
	return " " + strings.Join(said, " ")
}

// paragraph makes a text safe for a cell of a table.
func paragraph(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
