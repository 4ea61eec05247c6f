package manifest

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// Unforeseen returns the fields in which a normal form is not as it was foreseen, in order. What the server was to choose
// may be anything.
func Unforeseen(foreseen, is map[string]any) []string {
	var fields []string
	unforeseen("", foreseen, is, &fields)
	return fields
}

func unforeseen(path string, foreseen, is any, fields *[]string) {
	if foreseen == Chosen || reflect.DeepEqual(foreseen, is) {
		return
	}
	switch a := foreseen.(type) {
	case map[string]any:
		if b, ok := is.(map[string]any); ok {
			either := maps.Clone(a)
			maps.Copy(either, b)
			for _, key := range slices.Sorted(maps.Keys(either)) {
				unforeseen(path+"/"+escape(key), a[key], b[key], fields)
			}
			return
		}
	case []any:
		if b, ok := is.([]any); ok && len(a) == len(b) {
			for i := range a {
				unforeseen(path+"/"+strconv.Itoa(i), a[i], b[i], fields)
			}
			return
		}
	}
	*fields = append(*fields, field(path))
}
