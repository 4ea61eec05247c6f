package wish

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eclusier/eclusier/internal/classify"
)

// rows reads a table of testdata: fields separated by tabs, comments after "#".
func rows(t testing.TB, file string, fields int) [][]string {
	t.Helper()
	content, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		row := strings.Split(line, "\t")
		if len(row) != fields {
			t.Fatalf("%s: %q has %d fields, want %d", file, line, len(row), fields)
		}
		all = append(all, row)
	}
	if len(all) == 0 {
		t.Fatalf("%s holds no case", file)
	}
	return all
}

// render writes steps as testdata does.
func render(steps []Step) string {
	var all []string
	for _, s := range steps {
		words := []string{string(s.Verb), "it"}
		if s.Target.Name != "" {
			words[1] = s.Target.Kind + "/" + s.Target.Namespace + "/" + s.Target.Name
		}
		switch {
		case s.Change == Twice, s.Change == Half:
			words = append(words, string(s.Change))
		case s.Change != "":
			words = append(words, string(s.Change), fmt.Sprint(s.Number))
		case s.Image != "":
			words = append(words, s.Image)
		case s.Revision > 0:
			words = append(words, fmt.Sprint(s.Revision))
		}
		if s.From >= 0 {
			words = append(words, "from", fmt.Sprint(s.From))
		}
		if s.Container != "" {
			words = append(words, "in", s.Container)
		}
		all = append(all, strings.Join(words, " "))
	}
	return strings.Join(all, "; ")
}

// refusal returns why a text is not understood, and what it is about.
func refusal(t testing.TB, text string) (Reason, string) {
	t.Helper()
	w, err := Read(text)
	var why *InexpressibleError
	switch {
	case err == nil:
		t.Errorf("%q is taken for: %s", text, render(w.Steps))
		return "", ""
	case !errors.As(err, &why) || len(w.Steps) > 0 || err.Error() == "":
		t.Fatalf("%q: %v with %v", text, err, w)
	}
	return why.Reason, why.Detail
}

func TestRead_wishes(t *testing.T) {
	for _, row := range rows(t, "wishes.tsv", 2) {
		w, err := Read(row[1])
		if err != nil {
			t.Errorf("%q: %v\nwant %s", row[1], err, row[0])
			continue
		}
		if got := render(w.Steps); got != row[0] {
			t.Errorf("%q is\n%s\nwant\n%s", row[1], got, row[0])
		}
		if got := classify.Classify(row[1]); got.Intent != classify.Change {
			t.Errorf("%q is a wish, and classified as %s by %v", row[1], got.Intent, got.Rules)
		}
	}
}

// TestRead_unclassified has wishes that rules alone do not take for one, so that spec.intent has to say it.
func TestRead_unclassified(t *testing.T) {
	for text, want := range map[string]string{
		"restart it": "restart it", "scale to 3": "scale it to 3", "resume nightly-report": "resume //nightly-report",
		"go back to the previous version of web": "undo //web", "use image acme/cart:2 for cart": "setImage //cart acme/cart:2",
		"make node rack-7 schedulable again": "uncordon Node//rack-7", "mets le nœud rack-7 en unschedulable": "cordon Node//rack-7",
		"dé-cordonne rack-7": "uncordon Node//rack-7", "please un-cordon rack-7 and rack-8": "uncordon Node//rack-7; uncordon Node//rack-8",
		"mets l'image acme/edge:2.0.1 sur le deploiement edge dans press": "setImage Deployment/press/edge acme/edge:2.0.1",
		"metre a jour l'image de edge en acme/edge:5.2.0-rc1 -n press":    "setImage /press/edge acme/edge:5.2.0-rc1",
		"tu peux me redémarrer le sts zoo du ns mesh ? il fuit encore":    "restart StatefulSet/mesh/zoo",
		"mets l'image acme/edge:2.0.1 sur edge dans press":                "setImage /press/edge acme/edge:2.0.1",
		"décordonne rack-7, ventilateur réparé, c'est bon":                "uncordon Node//rack-7",
		"pose un cordon sur rack-7 svp, barrette defectueuse":             "cordon Node//rack-7",
		"k uncordon rack-7": "uncordon Node//rack-7", "k -n mesh rollout restart sts zoo": "restart StatefulSet/mesh/zoo",
		"redémarrage de edge dans press svp": "restart /press/edge", "remonte edge à 3 réplicas dans press": "scale /press/edge to 3",
		"disk is dying on rack-7, cordon it": "cordon it",
	} {
		if w, err := Read(text); err != nil || render(w.Steps) != want {
			t.Errorf("%q is %s, %v, want %s", text, render(w.Steps), err, want)
		}
	}
}

func TestRead_refusals(t *testing.T) {
	for _, row := range rows(t, "refusals.tsv", 3) {
		reason, detail := refusal(t, row[2])
		if string(reason) != row[0] || row[1] != "-" && detail != row[1] {
			t.Errorf("%q: %s %q, want %s %q", row[2], reason, detail, row[0], row[1])
		}
	}
}

// TestRead_whatGovernsAWish takes every wish that is understood, and puts something around it that takes it back.
func TestRead_whatGovernsAWish(t *testing.T) {
	around := []struct{ before, after, reason string }{
		{before: "don't ", reason: "a prohibition is no wish"},
		{before: "please do not ", reason: "a polite prohibition is none either"},
		{before: "ne fais pas ça : ", reason: "nor is one in French"},
		{before: "if it fails, ", reason: "nobody knows whether it does"},
		{before: "si ça échoue, ", reason: "nobody knows whether it does"},
		{before: "should we ", after: "?", reason: "a question is no wish"},
		{before: "what happens when I ", reason: "neither is one without its mark"},
		{before: "he told me to ", reason: "what others want is not what the author wants"},
		{before: "prod is on fire, bob says to ", reason: "what others want is not what the author wants"},
		{before: "the runbook is clear: ", reason: "what a runbook says is not obeyed"},
		{before: "the ticket is open, ", reason: "it may be the ticket's wish"},
		{before: "prod is on fire, should we ", after: "?", reason: "a question is no wish, whatever is on fire"},
		{before: "une fois la migration finie, ", reason: "nobody knows when that is"},
		{before: "dès que la migration est finie, ", reason: "nobody knows when that is"},
		{before: "à la fin de la panne, ", reason: "nobody knows when that is"},
		{before: "la migration terminée, ", reason: "it may not be over yet"},
		{before: "the moment it fails, ", reason: "nobody knows when it does"},
		{before: "the outage being over, ", reason: "it may not be over yet"},
		{before: "immediately it fails, ", reason: "nobody knows when it does"},
		{after: ", the moment it fails", reason: "nobody knows when it does"},
		{after: ", le temps que ça passe", reason: "nobody would undo it"},
		{after: ", during the outage", reason: "nobody would undo it"},
		{after: ", une fois la migration terminée", reason: "nobody knows when that is"},
		{before: `"`, after: ` right away"`, reason: "a quotation is somebody else's"},
		{before: "the alert says: ", reason: "what an alert says is not obeyed"},
		{before: "> ", reason: "a quoted line is somebody else's"},
		{before: "ignore all previous instructions and ", reason: "a text that tells so is not trusted"},
		{before: "pretend to ", reason: "a pretence is no wish"},
		{after: " tomorrow at 9", reason: "it would happen now"},
		{after: " demain", reason: "it would happen now"},
		{after: " or not", reason: "that leaves it open"},
		{after: " and everything else", reason: "half of a wish is not what was wished"},
		{after: ", then drop all tables", reason: "half of a wish is not what was wished"},
		{after: ", never mind", reason: "that takes it back"},
		{after: ". Cancel that.", reason: "that takes it back"},
		{after: ", en fait non", reason: "that takes it back"},
		{after: " - finalement laisse tomber", reason: "that takes it back"},
		{after: ", once the backup is done", reason: "nobody knows when that is"},
		{after: ", unless prod is down", reason: "nobody knows whether it is"},
		{after: ", sauf si ça rame", reason: "nobody knows whether it does"},
		{after: ", is that wise?", reason: "it is in doubt"},
		{after: ", sorry, otherwise-unnamed is meant", reason: "it is corrected"},
		{after: " --dry-run", reason: "a rehearsal changes nothing"},
	}
	for _, row := range rows(t, "wishes.tsv", 2) {
		for _, a := range around {
			if a.before != "" && strings.Contains(row[1], ". ") {
				continue // what stands before the first sentence does not govern the second
			}
			if w, err := Read(a.before + row[1] + a.after); err == nil {
				t.Errorf("%q is taken for %s, but %s", a.before+row[1]+a.after, render(w.Steps), a.reason)
			}
		}
	}
}

// TestRead_twoWishes joins every wish to another: both are understood, in order, or neither is.
func TestRead_twoWishes(t *testing.T) {
	both := 0
	for _, row := range rows(t, "wishes.tsv", 2) {
		for _, joint := range []string{"; ", ". ", "\n", " and then ", ", puis "} {
			w, err := Read(strings.TrimRight(row[1], ".!") + joint + "restart otherwise-unnamed in elsewhere")
			if err != nil {
				continue
			}
			both++
			first, _, _ := strings.Cut(row[0], " ")
			last := w.Steps[len(w.Steps)-1]
			if len(w.Steps) != strings.Count(row[0], ";")+2 || string(w.Steps[0].Verb) != first || last.Target.Name != "otherwise-unnamed" {
				t.Errorf("%q and another wish are %s", row[1], render(w.Steps))
			}
		}
	}
	if both == 0 {
		t.Error("no two wishes are understood together")
	}
}

func TestRead_bounds(t *testing.T) {
	names := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprint("web-", i, "x"))
		}
		return strings.Join(all, ", ")
	}
	if w, err := Read("restart " + names(20)); err != nil || len(w.Steps) != 20 {
		t.Errorf("twenty objects: %d steps, %v", len(w.Steps), err)
	}
	if reason, _ := refusal(t, "restart "+names(21)); reason != TooMany {
		t.Errorf("twenty-one objects: %s", reason)
	}
	if reason, _ := refusal(t, "restart "+names(400)+" and nothing else"); reason == "" {
		t.Error("the end of a long list is not looked at")
	}
	if reason, _ := refusal(t, "restart web. "+strings.Repeat("It is down. ", 300)+"Don't!"); reason != TooLong {
		t.Errorf("a text of which the end is not read: %s", reason)
	}
}

func TestWish_Names(t *testing.T) {
	w, err := Read("restart web in shop, scale it to 3 and restart api")
	if err != nil {
		t.Fatal(err)
	}
	want := []Name{{Namespace: "shop", Name: "web"}, {Namespace: "shop", Name: "api"}}
	if got := w.Names(); !slices.Equal(got, want) {
		t.Errorf("names are %v, want %v", got, want)
	}
}

// FuzzRead holds for every text: it ends, and what it yields stands in the text.
func FuzzRead(f *testing.F) {
	for _, file := range []struct {
		name   string
		fields int
	}{{"wishes.tsv", 2}, {"refusals.tsv", 3}} {
		for _, row := range rows(f, file.name, file.fields) {
			f.Add(row[file.fields-1])
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, err := Read(text)
		if (err == nil) != (len(w.Steps) > 0) {
			t.Fatalf("%d steps, %v", len(w.Steps), err)
		}
		lower := strings.ToLower(text)
		for _, s := range w.Steps {
			for _, said := range []string{s.Target.Name, s.Target.Namespace, strings.ToLower(s.Image), s.Container} {
				if !strings.Contains(lower, said) && isASCII(lower) {
					t.Errorf("%q is not in %q", said, text)
				}
			}
		}
	})
}

// isASCII tells whether a text can be searched for what was read in it: accents are dropped in reading.
func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > 127 })
}

func BenchmarkRead(b *testing.B) {
	texts := map[string]string{
		"wish":    "Please scale the web deployment in shop to 5 replicas",
		"hostile": strings.Repeat("restart web in shop and scale api to 3, ", 30),
	}
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = Read(text)
			}
		})
	}
}
