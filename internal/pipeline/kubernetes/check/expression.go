package check

import (
	"context"
	"fmt"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
)

const (
	// maxCost bounds what an expression may cost, in the units of CEL; about what the API server allows one of its own.
	maxCost = 1_000_000
	// maxTime bounds how long it may run.
	maxTime = time.Second
	// interruptEvery is after how many steps of a loop it looks at the clock.
	interruptEvery = 100
)

// Expression is a CEL expression over the variable object.
type Expression struct{ program cel.Program }

// Compile reads an expression. The error says what is wrong with it.
func Compile(expression string) (*Expression, error) {
	env, err := cel.NewEnv(
		cel.Variable("object", cel.DynType),
		cel.OptionalTypes(),
		cel.CrossTypeNumericComparisons(true),
		ext.Strings(), ext.Lists(), ext.Sets(), ext.Math(),
	)
	if err != nil {
		return nil, fmt.Errorf("preparing the expression: %w", err)
	}
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	if kind := ast.OutputType(); !kind.IsExactType(cel.BoolType) && !kind.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("it is of type %s, and must be of type bool", kind)
	}
	program, err := env.Program(ast, cel.CostLimit(maxCost), cel.InterruptCheckFrequency(interruptEvery))
	if err != nil {
		return nil, fmt.Errorf("preparing the expression: %w", err)
	}
	return &Expression{program}, nil
}

// Holds says whether the expression is true of an object. The error says why it has no value, such as a field that is not
// there yet.
func (e *Expression) Holds(ctx context.Context, object map[string]any) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	value, _, err := e.program.ContextEval(ctx, map[string]any{"object": object})
	if err != nil {
		return false, err
	}
	holds, ok := value.Value().(bool)
	if !ok {
		return false, fmt.Errorf("it is of type %s, and must be of type bool", value.Type().TypeName())
	}
	return holds, nil
}
