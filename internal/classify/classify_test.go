package classify

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// rows reads a table of testdata: fields separated by tabs, comments after "#".
func rows(t testing.TB, file string) [][]string {
	t.Helper()
	content, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			out = append(out, strings.Split(line, "\t"))
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s holds no case", file)
	}
	return out
}

func render(targets []Target) string {
	var out []string
	for _, t := range targets {
		if t.Host != "" {
			out = append(out, "host:"+t.Host)
			continue
		}
		out = append(out, t.Kind+"/"+t.Namespace+"/"+t.Name)
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, ",")
}

// checkInvariants holds for every text: what is unsure stays below the threshold, and a Change rests on a rule for it.
func checkInvariants(t *testing.T, text string, got Result) {
	t.Helper()
	if got.Confidence < 0 || got.Confidence > 1 {
		t.Errorf("%q: confidence %v is outside [0, 1]", text, got.Confidence)
	}
	if (got.Intent == Ambiguous) != (got.Confidence < Threshold) {
		t.Errorf("%q: %s with confidence %v", text, got.Intent, got.Confidence)
	}
	if len(got.Rules) == 0 {
		t.Fatalf("%q: no rule is named", text)
	}
	if got.InScope != (got.ScopeReason == "") || !got.InScope && got.Intent != Ambiguous {
		t.Errorf("%q: in scope %v, reason %q, intent %s", text, got.InScope, got.ScopeReason, got.Intent)
	}
	if got.InScope {
		for _, name := range got.Rules {
			if r := ruleNamed(name); r == nil || r.intent != got.Intent {
				t.Errorf("%q: rule %q does not stand for %s", text, name, got.Intent)
			}
		}
	}
	for _, target := range got.Targets {
		if named := target.Name != "" && isName(target.Name); named == (target.Host != "") {
			t.Errorf("%q: target %+v is neither an object nor a host", text, target)
		}
	}
}

func ruleNamed(name string) *rule {
	for i := range rules {
		if rules[i].name == name {
			return &rules[i]
		}
	}
	return nil
}

func TestClassify_families(t *testing.T) {
	for _, file := range []string{"families.tsv", "names.tsv", "asked.tsv"} {
		for _, c := range rows(t, file) {
			want, targets, text := c[0], c[1], c[2]
			got := Classify(text)
			if strings.ToLower(string(got.Intent)) != want {
				t.Errorf("%q: intent %s (%.2f, %v), want %s", text, got.Intent, got.Confidence, got.Rules, want)
			}
			if found := render(got.Targets); found != targets {
				t.Errorf("%q: targets %s, want %s", text, found, targets)
			}
			checkInvariants(t, text, got)
		}
	}
}

func TestClassify_intents(t *testing.T) {
	for _, c := range append(rows(t, "intents.tsv"), rows(t, "wider.tsv")...) {
		want, object, text := c[0], c[1], c[2]
		got := Classify(text)
		if strings.ToLower(string(got.Intent)) != want {
			t.Errorf("%q: intent %s (%.2f, %v), want %s", text, got.Intent, got.Confidence, got.Rules, want)
		}
		if !mayMean(got.Targets, object, text) {
			t.Errorf("%q: targets %s, want one that fits %s", text, render(got.Targets), object)
		}
		checkInvariants(t, text, got)
	}
}

// mayMean tells whether one target fits the object that the text means in the end: what the text leaves out may be
// missing, what it says must not be different. A name that the text does not hold cannot be found in it.
func mayMean(targets []Target, object, text string) bool {
	if object == "" {
		return len(targets) == 0
	}
	parts := strings.Split(object, "/")
	if !strings.Contains(strings.ToLower(text), parts[len(parts)-1]) {
		return len(targets) > 0
	}
	for _, t := range targets {
		if len(parts) == 1 {
			if t.Host == object {
				return true
			}
			continue
		}
		kind := t.Kind == "" || strings.EqualFold(t.Kind, parts[0])
		namespace := t.Namespace == "" || t.Namespace == parts[1]
		if kind && namespace && t.Name == parts[2] {
			return true
		}
	}
	return false
}

func TestClassify_scope(t *testing.T) {
	for _, c := range rows(t, "scope.tsv") {
		want, text := strings.TrimPrefix(c[0], "-"), c[1]
		got := Classify(text)
		if got.ScopeReason != want {
			t.Errorf("%q: scope reason %q, want %q", text, got.ScopeReason, want)
		}
		checkInvariants(t, text, got)
	}
}

func TestClassify_wholeCluster(t *testing.T) {
	cases := []struct {
		text string
		want bool
	}{
		{"Is everything all right in the cluster?", true},
		{"is anything failing in the whole cluster?", true},
		{"What is wrong with all namespaces?", true},
		{"which pods are pending in every namespace", true},
		{"why do we see 503s everywhere?", true},
		{"list failed pods cluster-wide", true},
		{"kubectl get pods -A", true},
		{"kubectl get pods --all-namespaces", true},
		{"y a-t-il des pods en erreur dans tout le cluster ?", true},
		{"est-ce que tout va bien sur le cluster ?", true},
		{"liste les pods en erreur dans tous les namespaces", true},
		{"pourquoi a-t-on des erreurs partout ?", true},
		{"is anything wrong in shop?", false},
		{"why are there 503s everywhere in shop?", false},
		{"what is wrong with web?", false},
		{"is the cluster autoscaler in trouble?", false},
		{"what is wrong with cluster role viewer?", false},
		{"why does namespace shop have no quota?", false},
		{"how do I create a namespace?", false},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			if got := Classify(c.text); got.WholeCluster != c.want {
				t.Errorf("whole cluster %v, want %v", got.WholeCluster, c.want)
			}
		})
	}
}

func TestClassify_otherLanguagesNameNothing(t *testing.T) {
	for _, text := range []string{"Warum startet web nicht?", "Warum ist der Pod web nicht bereit?", "¿Por qué no arranca web?", "Perché il servizio web non funziona?"} {
		t.Run(text, func(t *testing.T) {
			if got := Classify(text); got.ScopeReason != ScopeLanguage || len(got.Targets) > 0 || got.Namespace != "" {
				t.Errorf("scope %q, targets %s, namespace %q; want %s and none", got.ScopeReason, render(got.Targets), got.Namespace, ScopeLanguage)
			}
		})
	}
}

func TestClassify_everyRuleDecidesSomething(t *testing.T) {
	decided := map[string]bool{Classify("").Rules[0]: true}
	for _, file := range []string{"families.tsv", "intents.tsv"} {
		for _, c := range rows(t, file) {
			decided[Classify(c[2]).Rules[0]] = true
		}
	}
	for _, r := range rules {
		if !decided[r.name] {
			t.Errorf("no case is decided by the rule %q", r.name)
		}
	}
}

func TestClassify_reorderedCaseAndSpacing(t *testing.T) {
	cases := []struct{ name, text, like string }{
		{"capitals mean nothing in a text of capitals", "RESTART WEB IN SHOP!", "restart web in shop!"},
		{"a decomposed accent is the same letter", "supprime\u0301 par qui ? web dans shop", "supprimé par qui ? web dans shop"},
		{"a typographic apostrophe is an apostrophe", "n’efface rien, montre web dans shop", "n'efface rien, montre web dans shop"},
		{"no-break spaces separate words", "redémarre\u00a0web\u00a0dans\u00a0shop", "redémarre web dans shop"},
		{"line ends separate words", "restart web\r\nin shop", "restart web\nin shop"},
		{"quotes around the whole text are no quotation", `"restart web in shop"`, "restart web in shop"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, want := Classify(c.text), Classify(c.like)
			if got.Intent != want.Intent || render(got.Targets) != render(want.Targets) {
				t.Errorf("%s %s, want %s %s", got.Intent, render(got.Targets), want.Intent, render(want.Targets))
			}
		})
	}
}

func TestClassify_pastedText(t *testing.T) {
	cases := []struct {
		name, text string
		want       Intent
	}{
		{"a log line commands nothing", "why does web in shop log this?\n2026-03-01T10:00:00Z delete pod web-0 in shop", Diagnostic},
		{"a klog line commands nothing", "explain web in shop\nE0301 10:00:00.000 1 x.go:1] restart web in shop", Diagnostic},
		{"a code block commands nothing", "explain this for web in shop:\n```\nkubectl delete pod web-0\n```", Diagnostic},
		{"a text of log lines alone says nothing", "ERROR restart web in shop", Ambiguous},
		{"a command below the log counts", "INFO web is up and serving\nrestart web in shop", Change},
		{"an unclosed quote quotes nothing", `restart web in shop "`, Change},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Classify(c.text)
			if got.Intent != c.want {
				t.Errorf("intent %s (%v), want %s", got.Intent, got.Rules, c.want)
			}
			checkInvariants(t, c.text, got)
		})
	}
}

func TestClassify_limits(t *testing.T) {
	padding := strings.Repeat("why is web in shop slow? ", maxBytes/20)
	cases := []struct {
		name, text string
		want       Intent
	}{
		{"an empty text", "", Ambiguous},
		{"white space", " \t\r\n ", Ambiguous},
		{"control characters", "\x00\x01\x1b[2J", Ambiguous},
		{"bytes that are no text", "\xff\xfe\xc3\x28", Ambiguous},
		{"a command beyond what is looked at", padding + "delete pod web-0 in shop", Diagnostic},
		{"a question before 100 KiB of anything", padding + strings.Repeat("x", 100<<10), Diagnostic},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Classify(c.text)
			if got.Intent != c.want {
				t.Errorf("intent %s (%v), want %s", got.Intent, got.Rules, c.want)
			}
			if len(got.Targets) > maxTargets {
				t.Errorf("%d targets, want at most %d", len(got.Targets), maxTargets)
			}
			checkInvariants(t, c.text, got)
		})
	}
}

func TestClassify_language(t *testing.T) {
	cases := []struct{ text, want string }{
		{"restart web in shop", "en"},
		{"redémarre web dans shop", "fr"},
		{"redemarre web dans shop stp", "fr"},
		{"pourquoi le pod web-0 crashe dans shop ?", "fr"},
		{"kubectl get pods -n shop", "en"},
		{"", "en"},
	}
	for _, c := range cases {
		if got := Classify(c.text).Language; got != c.want {
			t.Errorf("%q: language %s, want %s", c.text, got, c.want)
		}
	}
}

func TestRules_keepTheirSideOfTheThreshold(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules {
		if (r.intent == Ambiguous) != (r.confidence < Threshold) || r.confidence > 1 {
			t.Errorf("rule %q: %s with confidence %v", r.name, r.intent, r.confidence)
		}
		if seen[r.name] {
			t.Errorf("rule %q is there twice", r.name)
		}
		seen[r.name] = true
	}
}

func FuzzClassify(f *testing.F) {
	for _, file := range []string{"families.tsv", "names.tsv", "asked.tsv", "intents.tsv"} {
		for _, c := range rows(f, file) {
			f.Add(c[2])
		}
	}
	f.Add("«``` \"'’ é́ -n / :: --namespace= web/ 'a b' (in)")
	f.Fuzz(func(t *testing.T, text string) {
		got := Classify(text)
		checkInvariants(t, text, got)
		for _, target := range got.Targets {
			if !utf8.ValidString(target.Name + target.Host + target.Namespace) {
				t.Errorf("%q: target %+v is not valid UTF-8", text, target)
			}
		}
	})
}

func BenchmarkClassify(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"question", "can you please check why the deployment web in shop keeps restarting since yesterday?"},
		{"command", "redémarre le déploiement web dans shop puis vérifie qu'il répond"},
		{"typo", "chekc why worker-3 is notready pls"},
		{"commandLine", "kubectl rollout restart deploy/web -n shop"},
		{"16KiB", strings.Repeat("why is web in shop slow, and who restarted it? ", maxBytes/47)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Classify(c.text)
			}
		})
	}
}
