package manifest

import (
	"reflect"
	"strings"

	"github.com/eclusier/eclusier/internal/redact"
)

// another marks a hidden value that is not the one before.
const another = redact.Mark + " (another value than before)"

// masked returns both forms without secrets. Secrets are looked for in the tree, value by value: in a diff the line that
// gives a value its name may be missing.
func masked(before, after map[string]any) (was, is map[string]any) {
	if clean(before) && clean(after) {
		return before, after
	}
	was, _ = mask("", before).(map[string]any)
	is, _ = mask("", after).(map[string]any)
	for key := range is {
		is[key] = tell(before[key], after[key], was[key], is[key])
	}
	return was, is
}

// clean says whether nothing in the form looks like a secret, read as a whole. What has to be spelled out is not: a secret
// would not be recognised between what is.
func clean(form map[string]any) bool {
	if !reflect.DeepEqual(visible(form), any(form)) {
		return false
	}
	whole, err := text(form)
	return err == nil && len(whole) <= redact.MaxBytes && redact.String(whole).String() == redact.Clean(whole)
}

func mask(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		return maskMap(v)
	case []any:
		return maskList(key, v)
	case string:
		return hide(key, v)
	}
	return v
}

func maskMap(v map[string]any) map[string]any {
	if v == nil {
		return nil
	}
	out := make(map[string]any, len(v))
	for name, value := range v {
		out[name] = mask(name, value)
	}
	// An environment variable, a header and the like: the name beside the value says what it is.
	name, named := v["name"].(string)
	if value, ok := v["value"].(string); ok && named {
		out["value"] = hide(name, value)
	}
	return out
}

func maskList(key string, v []any) []any {
	out := make([]any, len(v))
	for i, value := range v {
		out[i] = mask(key, value)
		if i == 0 || out[i] == nil {
			continue
		}
		former, _ := v[i-1].(string)
		if argument, ok := value.(string); ok && out[i] == value {
			out[i] = hideArgument(former, argument)
		}
	}
	return out
}

// hide takes the secrets out of a value of that name.
func hide(name, value string) string {
	if bare := redact.String(value).String(); strings.Contains(bare, redact.Mark) {
		return bare
	}
	if strings.Contains(redact.String(name+": "+value).String(), redact.Mark) {
		return redact.Mark
	}
	return value
}

// hideArgument takes the secrets out of an argument that follows another one, such as a flag.
func hideArgument(former, argument string) string {
	if strings.HasPrefix(former, "-") && strings.HasSuffix(redact.String(former+" "+argument).String(), redact.Mark) {
		return redact.Mark
	}
	return argument
}

// tell marks hidden values that differ although they look the same.
func tell(before, after, was, is any) any {
	switch shown := is.(type) {
	case map[string]any:
		formerly, _ := before.(map[string]any)
		now, _ := after.(map[string]any)
		hidden, _ := was.(map[string]any)
		for key := range shown {
			shown[key] = tell(formerly[key], now[key], hidden[key], shown[key])
		}
	case []any:
		formerly, _ := before.([]any)
		now, _ := after.([]any)
		hidden, _ := was.([]any)
		for i := range min(len(shown), len(formerly), len(hidden)) {
			shown[i] = tell(formerly[i], now[i], hidden[i], shown[i])
		}
	case string:
		if was == is && !reflect.DeepEqual(before, after) && strings.Contains(shown, redact.Mark) {
			return strings.TrimPrefix(shown+"\n"+another, redact.Mark+"\n")
		}
	}
	return is
}
