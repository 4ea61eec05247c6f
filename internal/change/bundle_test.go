package change

import (
	"testing"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

func TestBundle_keepsThePlanToTheByte(t *testing.T) {
	before := Bundle{
		Plan: Plan{ChangeUID: "u1", Revision: 2, Class: v1alpha1.ClassLow, Effects: []Effect{{
			Operation: "scale", Verb: VerbUpdate, Object: Object{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
			Request: Request{Kind: RequestScale, Body: []byte(`{"spec":{"replicas":3}}`)},
			Inverse: &Request{Kind: RequestScale, Body: []byte(`{"spec":{"replicas":2}}`)},
		}}},
		View: View{Summary: "scale", Before: [][]byte{[]byte(`{"kind":"Deployment"}`)}, Versions: []string{"7"}},
	}
	content, err := before.Encode()
	if err != nil {
		t.Fatal(err)
	}
	after, err := DecodeBundle(content)
	if err != nil {
		t.Fatal(err)
	}
	was, _ := before.Plan.Digest()
	is, _ := after.Plan.Digest()
	if was != is || string(after.View.Before[0]) != `{"kind":"Deployment"}` {
		t.Errorf("the digest was %s and is %s, the snapshot is %s", was, is, after.View.Before[0])
	}
	if _, err := DecodeBundle([]byte("{")); err == nil {
		t.Error("half a plan was read as one")
	}
}
