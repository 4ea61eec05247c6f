package change

import "testing"

func TestProduction(t *testing.T) {
	for _, c := range []struct {
		name   string
		labels map[string]string
		want   bool
		reason string
	}{
		{"a plain label", map[string]string{"env": "prod"}, true, "it says so"},
		{"in capitals", map[string]string{"Environment": "PRODUCTION"}, true, "people write it so"},
		{"behind a domain", map[string]string{"example.org/stage": "live"}, true, "the domain says who labels, not what"},
		{"before production", map[string]string{"env": "preprod"}, false, "it is another environment"},
		{"not production", map[string]string{"env": "non-production"}, false, "it is another environment"},
		{"another key", map[string]string{"team": "prod"}, false, "a team of that name is no environment"},
		{"no labels", nil, false, "nothing is said"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Production(c.labels); got != c.want {
				t.Errorf("Production(%v) = %v: %s", c.labels, got, c.reason)
			}
		})
	}
}

func TestSystem(t *testing.T) {
	for _, c := range []struct {
		namespace string
		want      bool
	}{{"kube-system", true}, {"kube-node-lease", true}, {"ops", true}, {"shop", false}, {"my-kube-tools", false}, {"", false}} {
		if got := System(c.namespace, "ops"); got != c.want {
			t.Errorf("System(%q) = %v", c.namespace, got)
		}
	}
	if System("", "") {
		t.Error("what is in no namespace is in none of the system's")
	}
}

func TestHoldsData(t *testing.T) {
	for _, c := range []struct {
		group, kind string
		want        bool
	}{
		{"", "Namespace", true}, {"", "PersistentVolumeClaim", true}, {"", "PersistentVolume", true},
		{"apiextensions.k8s.io", "CustomResourceDefinition", true}, {"snapshot.storage.k8s.io", "VolumeSnapshot", true},
		{"", "Pod", false}, {"apps", "Deployment", false}, {"example.org", "Namespace", false},
	} {
		if got := HoldsData(c.group, c.kind); got != c.want {
			t.Errorf("HoldsData(%q, %q) = %v", c.group, c.kind, got)
		}
	}
}
