package manifest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// op is one operation of an RFC 6902 JSON patch.
type op struct {
	Op    string
	Path  string
	Value any
}

// MarshalJSON writes a value wherever the operation has one, be it false, 0 or null.
func (o op) MarshalJSON() ([]byte, error) {
	if o.Op == "remove" {
		return json.Marshal(map[string]any{"op": o.Op, "path": o.Path})
	}
	return json.Marshal(map[string]any{"op": o.Op, "path": o.Path, "value": o.Value})
}

// Inverse returns the JSON patch that leads from one normal form back to another. It touches nothing but the fields in
// which they differ, and tests each of them first: where somebody else has changed such a field in between, the patch
// fails as a whole, and what others changed beside it stays. It is nil where the forms are equal.
func Inverse(before, after map[string]any) ([]byte, error) {
	var w writer
	w.maps("", before, after)
	if len(w.ops) == 0 {
		return nil, nil
	}
	body, err := json.Marshal(w.ops)
	if err != nil {
		return nil, fmt.Errorf("writing the way back: %w", err)
	}
	return body, nil
}

type writer struct{ ops []op }

func (w *writer) maps(path string, before, after map[string]any) {
	keys := slices.Sorted(maps.Keys(before))
	for key := range after {
		if _, ok := before[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		was, had := before[key]
		is, has := after[key]
		at := path + "/" + escape(key)
		switch {
		case reflect.DeepEqual(was, is) && had == has:
		case !has:
			w.ops = append(w.ops, op{Op: "add", Path: at, Value: was})
		case !had && loose(key):
			entries, _ := is.(map[string]any)
			w.maps(at, nil, entries)
		case !had:
			w.test(at, is)
			w.ops = append(w.ops, op{Op: "remove", Path: at})
		default:
			w.values(at, was, is)
		}
	}
}

// values leads back from one value to another of the same field.
func (w *writer) values(path string, was, is any) {
	if before, ok := was.(map[string]any); ok {
		if after, ok := is.(map[string]any); ok {
			w.maps(path, before, after)
			return
		}
	}
	before, wasList := was.([]any)
	after, isList := is.([]any)
	if wasList && isList && alike(before, after) {
		for i := range after {
			w.element(path+"/"+strconv.Itoa(i), before[i], after[i])
		}
		return
	}
	w.test(path, is)
	w.ops = append(w.ops, op{Op: "replace", Path: path, Value: was})
}

// element leads one element of a list back, if it is still the element of that name.
func (w *writer) element(path string, was, is any) {
	if reflect.DeepEqual(was, is) {
		return
	}
	before, _ := was.(map[string]any)
	after, _ := is.(map[string]any)
	key := identity(after)
	w.test(path+"/"+key, after[key])
	w.maps(path, before, after)
}

// identities are the fields by which the elements of lists are told apart, in the order in which they are tried.
var identities = []string{"name", "containerPort", "port", "key", "ip", "mountPath"}

// identity is the field by which an element is told from others; empty where there is none.
func identity(element map[string]any) string {
	for _, key := range identities {
		if _, ok := element[key]; ok {
			return key
		}
	}
	return ""
}

// alike says whether two lists hold the same elements in the same order, so that each can be changed for itself.
func alike(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, _ := a[i].(map[string]any)
		y, _ := b[i].(map[string]any)
		key := identity(x)
		if key == "" || key != identity(y) || !reflect.DeepEqual(x[key], y[key]) {
			return false
		}
	}
	return true
}

// test notes that a field must still be as it was left. What the server chose by chance cannot be known beforehand.
func (w *writer) test(path string, value any) {
	if !holdsChosen(value) {
		w.ops = append(w.ops, op{Op: "test", Path: path, Value: value})
	}
}

func holdsChosen(v any) bool {
	switch v := v.(type) {
	case string:
		return v == Chosen
	case map[string]any:
		for _, value := range v {
			if holdsChosen(value) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, holdsChosen)
	}
	return false
}

// Place is where an object stands between the two ends of a patch made by Inverse.
type Place string

// Places between the ends of a patch.
const (
	// AtAfter: every field is as the change left it.
	AtAfter Place = "After"
	// AtBefore: every field is as it was before the change.
	AtBefore Place = "Before"
	// Elsewhere: at least one field is neither, or some are this and some that.
	Elsewhere Place = "Elsewhere"
)

// move is the way back of one field.
type move struct {
	path string
	// left is the value that it must find, where tested.
	left   any
	tested bool
	// back is what is done then; its zero value for a field that only has to be there.
	back op
}

// moves groups the operations of a patch by the fields that they are about.
func moves(ops []op) []move {
	var all []move
	for i := 0; i < len(ops); i++ {
		m := move{path: ops[i].Path, back: ops[i]}
		if ops[i].Op == "test" {
			m.left, m.tested, m.back = ops[i].Value, true, op{}
			if i+1 < len(ops) && ops[i+1].Path == m.path {
				i++
				m.back = ops[i]
			}
		}
		all = append(all, m)
	}
	return all
}

// place says where the field of a normal form stands; empty for one that only has to be there, and is.
func (m move) place(live map[string]any) Place {
	value, exists := lookup(live, m.path)
	left := exists && reflect.DeepEqual(value, m.left)
	switch {
	case m.back.Op == "" && left:
		return ""
	case m.back.Op == "":
		return Elsewhere
	case m.back.is(value, exists):
		return AtBefore
	case m.tested && left, !m.tested && (m.back.Op != "add" || !exists):
		return AtAfter
	}
	return Elsewhere
}

// Locate says where a normal form stands between the ends of a patch made by Inverse. Elsewhere comes with the fields that
// are not as the change left them.
func Locate(inverse []byte, live map[string]any) (Place, []string, error) {
	ops, err := read(inverse)
	if err != nil {
		return "", nil, err
	}
	fields := map[Place][]string{}
	for _, m := range moves(ops) {
		place := m.place(live)
		fields[place] = append(fields[place], field(m.path))
	}
	switch {
	case len(fields[Elsewhere]) > 0:
		return Elsewhere, fields[Elsewhere], nil
	case len(fields[AtAfter]) == 0:
		return AtBefore, nil, nil
	case len(fields[AtBefore]) == 0:
		return AtAfter, nil, nil
	}
	return Elsewhere, fields[AtBefore], nil
}

// is says whether a value is what the operation would make of it.
func (o op) is(value any, exists bool) bool {
	if o.Op == "remove" {
		return !exists
	}
	return exists && reflect.DeepEqual(value, o.Value)
}

// read decodes a patch, with numbers as they are in objects of the API server.
func read(patch []byte) ([]op, error) {
	var raw []any
	if err := utiljson.Unmarshal(patch, &raw); err != nil {
		return nil, fmt.Errorf("reading the way back: %w", err)
	}
	ops := make([]op, len(raw))
	for i := range raw {
		fields, _ := raw[i].(map[string]any)
		ops[i].Op, _ = fields["op"].(string)
		ops[i].Path, _ = fields["path"].(string)
		ops[i].Value = fields["value"]
	}
	return ops, nil
}

func escape(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

func unescape(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~1", "/"), "~0", "~")
}

// field writes a JSON pointer as people write fields.
func field(pointer string) string {
	var b strings.Builder
	for _, part := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		part = unescape(part)
		if _, err := strconv.Atoi(part); err == nil {
			b.WriteString("[" + part + "]")
			continue
		}
		if strings.ContainsAny(part, "./") {
			b.WriteString("[" + part + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(part)
	}
	return b.String()
}

// lookup returns the value at a JSON pointer.
func lookup(v any, pointer string) (any, bool) {
	for _, part := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		switch at := v.(type) {
		case map[string]any:
			value, ok := at[unescape(part)]
			if !ok {
				return nil, false
			}
			v = value
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}
