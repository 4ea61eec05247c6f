package change

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// anyPlan draws a plan of which every field may have every value, whatever fields there are.
func anyPlan(t *rapid.T) Plan {
	var p Plan
	fill(t, reflect.ValueOf(&p).Elem(), rapid.Bool())
	return p
}

// fullPlan draws a plan of which every list has entries and every pointer a value.
func fullPlan(t *rapid.T) Plan {
	var p Plan
	fill(t, reflect.ValueOf(&p).Elem(), rapid.Just(true))
	return p
}

// fill draws a value of any type; present says whether lists and pointers have any.
func fill(t *rapid.T, v reflect.Value, present *rapid.Generator[bool]) {
	if at, isTime := v.Addr().Interface().(*time.Time); isTime {
		*at = time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "seconds"), 0).UTC()
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(rapid.String().Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "flag"))
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(rapid.Int16().Draw(t, "number")))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Byte().Draw(t, "byte")))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), present)
		}
	case reflect.Pointer:
		if present.Draw(t, "present") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem(), present)
		}
	case reflect.Slice:
		if present.Draw(t, "present") {
			v.Set(reflect.MakeSlice(v.Type(), rapid.IntRange(1, 2).Draw(t, "length"), 2))
			for i := range v.Len() {
				fill(t, v.Index(i), present)
			}
		}
	default:
		t.Fatalf("plans have a %s now: teach the test to draw and to change one", v.Kind())
	}
}

// everyChange changes one thing of v after the other, of every type that can be reached from it, calls f with the path
// of it, and puts it back.
func everyChange(v reflect.Value, path string, f func(path string)) {
	with := func(changed any, how string) {
		was := reflect.New(v.Type()).Elem()
		was.Set(v)
		v.Set(reflect.ValueOf(changed).Convert(v.Type()))
		f(path + how)
		v.Set(was)
	}
	if at, isTime := v.Interface().(time.Time); isTime {
		with(at.Add(time.Second), " + 1s")
		return
	}
	switch v.Kind() {
	case reflect.String:
		with(v.String()+"x", " + x")
	case reflect.Bool:
		with(!v.Bool(), " flipped")
	case reflect.Int, reflect.Int32, reflect.Int64:
		with(v.Int()+1, " + 1")
	case reflect.Uint8:
		with(uint8(v.Uint())+1, " + 1")
	case reflect.Struct:
		for i := range v.NumField() {
			everyChange(v.Field(i), path+"."+v.Type().Field(i).Name, f)
		}
	case reflect.Pointer:
		if v.IsNil() {
			with(reflect.New(v.Type().Elem()).Interface(), " set")
			return
		}
		with(reflect.Zero(v.Type()).Interface(), " unset")
		everyChange(v.Elem(), path, f)
	case reflect.Slice:
		longer := reflect.MakeSlice(v.Type(), v.Len()+1, v.Len()+1)
		reflect.Copy(longer, v)
		with(longer.Interface(), " + one")
		if v.Len() > 0 {
			with(v.Slice(0, v.Len()-1).Interface(), " - one")
		}
		for i := range v.Len() {
			everyChange(v.Index(i), fmt.Sprintf("%s[%d]", path, i), f)
		}
	default:
		panic("everything that fill draws can be changed")
	}
}

func digestOf(t interface{ Fatal(...any) }, p Plan) string {
	digest, err := p.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

func TestPlan_Digest_anyChangeIsAnotherDigest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, p := range []Plan{fullPlan(t), anyPlan(t)} {
			was := digestOf(t, p)
			everyChange(reflect.ValueOf(&p).Elem(), "Plan", func(path string) {
				if digestOf(t, p) == was {
					t.Fatalf("%s is another plan with the same digest", path)
				}
			})
			if digestOf(t, p) != was {
				t.Fatal("the changes were not put back, so the test proves nothing")
			}
		}
	})
}

// TestPlan_Digest_reachesEveryField holds the walk above to what it is for: every field of every type of a plan.
func TestPlan_Digest_reachesEveryField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, reached := fullPlan(t), map[string]bool{}
		everyChange(reflect.ValueOf(&p).Elem(), "Plan", func(path string) {
			reached[regexp.MustCompile(`\[\d+\]| .*`).ReplaceAllString(path, "")] = true
		})
		for _, field := range []string{
			"Plan.ChangeUID", "Plan.Revision", "Plan.Cluster", "Plan.Class", "Plan.OnFailure", "Plan.ServiceAccount", "Plan.ServiceAccountUID", "Plan.ExpiresAt",
			"Plan.Effects", "Plan.Effects.Index", "Plan.Effects.Operation", "Plan.Effects.Verb", "Plan.Effects.Object.UID",
			"Plan.Effects.Object.Resource", "Plan.Effects.Request.Body", "Plan.Effects.Request.Force", "Plan.Effects.Request.FieldManager",
			"Plan.Effects.ResultHash", "Plan.Effects.NotDryRun", "Plan.Effects.Destroys", "Plan.Effects.Inverse", "Plan.Effects.Inverse.Body", "Plan.Effects.After",
			"Plan.Checks", "Plan.Checks.Timeout", "Plan.Checks.CEL.Expression", "Plan.Checks.HTTPGet.ExpectedStatus",
			"Plan.Checks.NoNewFaults.Soak.Duration",
		} {
			if !reached[field] {
				t.Fatalf("%s is not changed by the test", field)
			}
		}
	})
}

func TestPlan_Digest_samePlanIsTheSameDigest(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := anyPlan(t)
		was := digestOf(t, p)
		stored, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var read Plan
		if err := json.Unmarshal(stored, &read); err != nil {
			t.Fatal(err)
		}
		elsewhere := p
		elsewhere.ExpiresAt = p.ExpiresAt.In(paris).Add(time.Duration(rapid.Int64Range(0, 999_999_999).Draw(t, "fraction")))
		for how, same := range map[string]Plan{"stored and read": read, "in another zone, within the second": elsewhere} {
			if digestOf(t, same) != was {
				t.Fatalf("a plan %s has another digest", how)
			}
		}
	})
}

func TestPlan_Digest_form(t *testing.T) {
	empty, none := Plan{Effects: []Effect{}}, Plan{}
	if digestOf(t, empty) != digestOf(t, none) {
		t.Error("no effects and no list of effects are two plans")
	}
	if digest := digestOf(t, none); !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(digest) {
		t.Errorf("the digest is %q", digest)
	}
}

// TestPlan_Digest_isTheSameForEver holds the canonical form still: a release that computes another digest for the same plan
// must do so knowingly, under another planVersion, since it takes back what people agreed to.
func TestPlan_Digest_isTheSameForEver(t *testing.T) {
	p := Plan{
		ChangeUID: "0d5c", Revision: 1, Cluster: "a1b2", Class: v1alpha1.ClassMedium, OnFailure: v1alpha1.RollbackAutomatic,
		ServiceAccount: "shop/eclusier-applier", ExpiresAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Effects: []Effect{{
			Operation: "scale", Verb: VerbUpdate, ResultHash: "aa",
			Object:  Object{APIVersion: "apps/v1", Kind: "Deployment", Resource: "deployments", Namespace: "shop", Name: "web", UID: "u"},
			Request: Request{Kind: RequestScale, Body: []byte(`{"spec":{"replicas":3}}`), FieldManager: "eclusier"},
			Inverse: &Request{Kind: RequestScale, Body: []byte(`{"spec":{"replicas":2}}`), FieldManager: "eclusier"},
		}},
	}
	const want = "sha256:30bf3ff6c14dc3fd4aaa38581186322b90029d5928e03db489687b260c6a4be8"
	if got := digestOf(t, p); got != want {
		t.Errorf("the digest is %s and was %s", got, want)
	}
}

func TestPlan_Digest_refusesTextsThatWouldLookAlike(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		refused    bool
		reason     string
	}{
		{"bytes that are no text", "web\xff", true, "JSON writes the same for all of them"},
		{"bytes that are no text after a backslash", `\` + "\xff", true, "the backslash is written as two"},
		{"the replacement character itself", "web\ufffd", false, "it is a character like any other"},
		{"the replacement character, spelled out", `web\ufffd`, false, "this is six characters of ASCII"},
		{"the same after a backslash", `web\\ufffd`, false, "two backslashes are two backslashes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Plan{Effects: []Effect{{NotDryRun: tc.text}}}.Digest()
			if refused := err != nil; refused != tc.refused {
				t.Errorf("Digest() = %v, want refused %v: %s", err, tc.refused, tc.reason)
			}
		})
	}
}

func TestPlan_Counts(t *testing.T) {
	p := Plan{Effects: []Effect{{Verb: VerbCreate}, {Verb: VerbUpdate}, {Verb: VerbUpdate}, {Verb: VerbDelete}, {Verb: VerbNone}}}
	if got, want := p.Counts(), (v1alpha1.EffectCounts{Create: 1, Update: 2, Delete: 1, Unchanged: 1}); got != want {
		t.Errorf("Counts() = %+v, want %+v", got, want)
	}
}

func TestPlan_Empty(t *testing.T) {
	for _, tc := range []struct {
		name    string
		effects []Effect
		want    bool
		reason  string
	}{
		{"no effect at all", nil, true, "nothing is sent"},
		{"only objects that are as wanted", []Effect{{Verb: VerbNone}, {Verb: VerbNone}}, true, "nothing is sent"},
		{"one deletion", []Effect{{Verb: VerbNone}, {Verb: VerbDelete}}, false, "something is sent"},
		{"an effect of a sort that is not known", []Effect{{Verb: "Move"}}, false, "what is not understood is not nothing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := (Plan{Effects: tc.effects}).Empty(); got != tc.want {
				t.Errorf("Empty() = %v, want %v: %s", got, tc.want, tc.reason)
			}
		})
	}
}
