package diagnose

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/language"
)

// Everything is well in the world of these questions; what they state decides whether that answers them.
func TestPremise_whatCannotBeSeenIsNotDenied(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]struct {
		verdict Verdict
		missing string
	}{
		"Is api slow?":                                            {Inconclusive, "latency"},
		"why is api slower than last week?":                       {Inconclusive, "latency"},
		"Pourquoi api est-il lent depuis ce matin ?":              {Inconclusive, "latency"},
		"api took 3 h instead of 20 minutes":                      {Inconclusive, "latency"},
		"api a pris deux heures au lieu de dix minutes":           {Inconclusive, "latency"},
		"the totals of api are wrong":                             {Inconclusive, "what the result should be"},
		"le solde affiché par api est erroné":                     {Inconclusive, "what the result should be"},
		"customers were charged twice by api, why?":               {Inconclusive, "what the result should be"},
		"some orders sent to api get lost, why?":                  {Inconclusive, "over time"},
		"parfois des requêtes vers api échouent":                  {Inconclusive, "over time"},
		"what happened to node-a at four?":                        {Inconclusive, "kernel log"},
		"que s'est-il passé sur node-a cette nuit ?":              {Inconclusive, "kernel log"},
		"why does mail-relay-north not answer?":                   {Inconclusive, "mail-relay-north"},
		"is something wrong with api? it felt slow":               {NoFaultFound, ""},
		"api felt slow to one customer, see anything?":            {NoFaultFound, ""},
		"Is api healthy?":                                         {NoFaultFound, ""},
		"why does api restart?":                                   {NoFaultFound, ""},
		"api restarted twice, c'est grave ?":                      {NoFaultFound, ""},
		"is anything wrong in app?":                               {NoFaultFound, ""},
		"the out-of-memory and back-off alerts of api, please":    {NoFaultFound, ""},
		"qu'est-ce qui se passe avec api, peux-tu y jeter un œil": {NoFaultFound, ""},
		"pod api-1-x is not ready":                                {NoFaultFound, ""},
		"what's going on with api-1-abcde?":                       {NoFaultFound, ""},
	} {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			w := newWorld("app")
			w.deployment("api", nil)
			r := Diagnose(w.Snapshot, Question{Namespace: "app", Text: question, Language: language.English})
			if r.Verdict != want.verdict || len(r.RootCauses) > 0 {
				t.Errorf("says %s, want %s: %s", r.Verdict, want.verdict, r.Summary)
			}
			says := func(m Missing) bool { return strings.Contains(m.What, want.missing) }
			if want.missing != "" && !slices.ContainsFunc(r.Missing, says) {
				t.Errorf("does not say that %q is missing: %+v", want.missing, r.Missing)
			}
		})
	}
}

func TestPremise_isNoMatterWhereAFaultIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	_, p := w.deployment("api", nil)
	crashed(p, "api", 137, "OOMKilled", "")
	r := Diagnose(w.Snapshot, Question{Namespace: "app", Text: "why is api slow?", Language: language.English})
	if r.Verdict != RootCauseFound || r.RootCauses[0].Cause != "OOMKilled" {
		t.Errorf("does not find the fault: %s", r.Summary)
	}
	if len(r.Missing) > 0 {
		t.Errorf("asks for what is not needed: %+v", r.Missing)
	}
}

func TestMissing_aLogThatTheKubeletNoLongerHasIsNoLog(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	_, p := w.deployment("api", nil)
	crashed(p, "api", 1, "Error", "")
	w.log(p, "api", "unable to retrieve container logs for containerd://0a1b2c\n")
	r := w.ask(t)
	if r.Verdict != Inconclusive {
		t.Fatalf("says %s: %s", r.Verdict, r.Summary)
	}
	if !slices.ContainsFunc(r.Missing, func(m Missing) bool { return strings.HasSuffix(m.Command, "--previous") }) {
		t.Errorf("does not ask for the log: %+v", r.Missing)
	}
}

func TestMissing_anEmptyLogIsNotEnough(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	_, p := w.deployment("api", nil)
	crashed(p, "api", 1, "Error", "")
	w.log(p, "api", "")
	w.current(p, "api", "")
	w.event(podRef(p), true, "BackOff", "Back-off restarting failed container api")
	r := w.ask(t)
	if r.Verdict != Inconclusive || len(r.Missing) == 0 {
		t.Errorf("says %s and misses %+v", r.Verdict, r.Missing)
	}
}
