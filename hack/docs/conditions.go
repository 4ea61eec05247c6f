package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

const conditionsHead = "# %s\n\nGenerated from `%s` by `make docs`. A reason surfaces with the status True unless another one stands in brackets.\n"

// statusNote is how a reason says that it belongs to another status than True.
var statusNote = regexp.MustCompile(`^surfaces \((False|Unknown)\) `)

// constant is one condition or reason: its Go name, its value where it has one of its own, and its comment.
type constant struct {
	name, value, comment string
}

// conditionPage renders the const blocks of the file under a title: one section a block, first the condition, then its
// reasons.
func conditionPage(file, title string) (string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		return "", err
	}
	values := map[string]string{}
	var page strings.Builder
	fmt.Fprintf(&page, conditionsHead, title, file)
	for _, declaration := range parsed.Decls {
		block, ok := declaration.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST {
			continue
		}
		constants := constantsOf(block)
		for i := range constants {
			if of, found := values[constants[i].value]; found {
				constants[i].value = of
			}
			values[constants[i].name] = constants[i].value
		}
		section(&page, oneLine(block.Doc), constants)
	}
	return page.String(), nil
}

// constantsOf lists the constants of a block. A block of a single one carries its comment itself.
func constantsOf(block *ast.GenDecl) []constant {
	var found []constant
	for _, spec := range block.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok || len(value.Values) != 1 {
			continue
		}
		comment := oneLine(value.Doc)
		if comment == "" {
			comment = oneLine(block.Doc)
		}
		found = append(found, constant{value.Names[0].Name, valueOf(value.Values[0]), comment})
	}
	return found
}

// valueOf returns the text of a string constant, or the name of the constant that it equals.
func valueOf(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BasicLit:
		return strings.Trim(e.Value, `"`)
	case *ast.Ident:
		return e.Name
	case *ast.CallExpr:
		// A conversion of a typed constant, such as string(VerdictInconclusive): its value is the name after the type.
		if len(e.Args) == 1 {
			return strings.TrimPrefix(valueOf(e.Args[0]), "Verdict")
		}
	}
	return ""
}

func section(page *strings.Builder, doc string, constants []constant) {
	var reasons []constant
	for _, c := range constants {
		if !strings.HasPrefix(c.name, "Condition") {
			reasons = append(reasons, c)
			continue
		}
		fmt.Fprintf(page, "\n## %s\n\n", c.value)
		if doc != c.comment && strings.HasPrefix(doc, c.value+" ") {
			fmt.Fprintf(page, "%s ", doc)
		}
		fmt.Fprintf(page, "%s\n", describe(c))
	}
	if len(reasons) == 0 {
		return
	}
	if len(reasons) == len(constants) {
		fmt.Fprintf(page, "\n## %s\n\n%s\n", conditionOf(reasons), doc)
	}
	page.WriteString("\n| Reason | Surfaces |\n|---|---|\n")
	for _, c := range reasons {
		fmt.Fprintf(page, "| `%s` | %s |\n", c.value, describe(c))
	}
}

// conditionOf is the condition that reasons belong to whose block does not define it: their names begin with it.
func conditionOf(reasons []constant) string {
	for _, c := range reasons {
		if name, found := strings.CutSuffix(c.name, c.value); found && name != "" {
			return name
		}
	}
	return reasons[0].name
}

// describe turns "ConditionX is True once …" into "It is True once …", and "XY surfaces (False) when …" into "(False) when …".
func describe(c constant) string {
	text := strings.TrimPrefix(c.comment, c.name+" ")
	if strings.HasPrefix(c.name, "Condition") {
		return "It " + text
	}
	text = strings.TrimPrefix(statusNote.ReplaceAllString(text, "($1) "), "surfaces ")
	return strings.TrimPrefix(text, "(True) ")
}

func oneLine(comment *ast.CommentGroup) string {
	return strings.Join(strings.Fields(comment.Text()), " ")
}
