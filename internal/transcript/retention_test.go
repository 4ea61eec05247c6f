package transcript_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/eclusier/eclusier/internal/transcript"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func object(name string) transcript.Object {
	return transcript.Object{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: name}
}

// kept is an entry of the change with that name, made so long ago.
func kept(change string, revision int32, age time.Duration, holds ...transcript.Object) transcript.Entry {
	return transcript.Entry{
		Key:   transcript.Key{Kind: transcript.KindPlan, Namespace: "shop", Name: change, UID: "uid-" + change, Revision: revision},
		Ref:   fmt.Sprintf("%s/%d", change, revision),
		Made:  now.Add(-age),
		Holds: holds,
	}
}

// series are n changes of the object, one every minute; the first is the newest.
func series(name string, n int, o transcript.Object) []transcript.Entry {
	var entries []transcript.Entry
	for i := range n {
		entries = append(entries, kept(fmt.Sprintf("%s-%02d", name, i), 1, time.Duration(i+1)*time.Minute, o))
	}
	return entries
}

func TestSpent(t *testing.T) {
	const week = transcript.KeepFor
	gone := func(transcript.Entry) transcript.Standing { return transcript.Standing{} }
	needed := func(transcript.Entry) transcript.Standing { return transcript.Standing{Needed: true} }
	aged := kept("slow", 1, 2*week, object("web"))
	tests := []struct {
		name     string
		entries  []transcript.Entry
		standing func(transcript.Entry) transcript.Standing
		want     []string
		reason   string
	}{
		{"nothing is spent of nothing", nil, gone, nil, "there is nothing"},
		{"a week is not over at its end", []transcript.Entry{kept("a", 1, week, object("web"))}, gone, nil, "it is kept for a week"},
		{"a week and a moment is over", []transcript.Entry{kept("a", 1, week+1, object("web"))}, gone, []string{"a/1"}, "it is kept for a week"},
		{"an entry that holds nothing goes by age", append(slices.Repeat([]transcript.Entry{kept("a", 1, 0)}, 12), kept("b", 1, week+1)), gone,
			[]string{"b/1"}, "the count is by object"},
		{"ten of an object are kept", series("web", 10, object("web")), gone, nil, "ten are kept"},
		{"the eleventh and twelfth are not", series("web", 12, object("web")), gone, []string{"web-10/1", "web-11/1"}, "the oldest go"},
		{"the order in which they come does not matter", func() []transcript.Entry {
			s := series("web", 12, object("web"))
			slices.Reverse(s)
			return s
		}(), gone, []string{"web-10/1", "web-11/1"}, "age decides, not the list"},
		{"what is needed stays, whatever its age and number", append(series("web", 12, object("web")), kept("a", 1, 9*week, object("web"))), needed, nil,
			"a change that goes on needs its plan"},
		{"each object has its own ten", append(series("web", 10, object("web")), series("api", 10, object("api"))...), gone, nil, "objects are counted apart"},
		{"one object with room keeps what others have too many of",
			append(series("web", 10, object("web")), kept("both", 1, time.Hour, object("web"), object("api"))), gone, nil,
			"it is the only one from which the other object can be restored"},
		{"no object with room keeps it",
			append(append(series("web", 10, object("web")), series("api", 10, object("api"))...), kept("both", 1, time.Hour, object("web"), object("api"))), gone,
			[]string{"both/1"}, "both have ten newer ones"},
		{"a former revision is superseded", []transcript.Entry{kept("a", 1, time.Hour, object("web")), kept("a", 2, time.Minute, object("web"))}, gone,
			[]string{"a/1"}, "nothing was applied from it"},
		{"a former revision of a change that goes on stays", []transcript.Entry{kept("a", 1, time.Hour, object("web")), kept("a", 2, time.Minute, object("web"))},
			needed, nil, "its slots may still be looked at"},
		{"former revisions take no place", append(series("web", 9, object("web")), kept("a", 1, 3*time.Hour, object("web")), kept("a", 2, 2*time.Hour, object("web"))),
			gone, []string{"a/1"}, "ten changes are kept, not ten plans"},
		{"age counts from the end of the change", []transcript.Entry{aged},
			func(transcript.Entry) transcript.Standing {
				return transcript.Standing{Applied: true, Ended: now.Add(-time.Hour)}
			}, nil,
			"a change that waited long was applied an hour ago"},
		{"plans that came to nothing do not push out what was applied",
			append(series("dry", 12, object("web")), kept("applied", 1, time.Hour, object("web"))),
			func(e transcript.Entry) transcript.Standing { return transcript.Standing{Applied: e.Name == "applied"} },
			[]string{"dry-10/1", "dry-11/1"}, "they are counted apart"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.entries)
			var got []string
			for _, e := range transcript.Spent(tt.entries, now, tt.standing) {
				got = append(got, e.Ref)
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v: %s", got, tt.want, tt.reason)
			}
			for i := range before {
				if before[i].Ref != tt.entries[i].Ref {
					t.Fatal("the caller's list was changed")
				}
			}
		})
	}
}

func TestSpent_isSettledAfterOneSweep(t *testing.T) {
	entries := append(series("web", 30, object("web")), series("api", 30, object("api"))...)
	gone := func(transcript.Entry) transcript.Standing { return transcript.Standing{} }
	spent := map[string]bool{}
	for _, e := range transcript.Spent(entries, now, gone) {
		spent[e.Ref] = true
	}
	left := slices.DeleteFunc(entries, func(e transcript.Entry) bool { return spent[e.Ref] })
	if len(left) != 2*transcript.KeepPerObject {
		t.Errorf("%d are left, want %d", len(left), 2*transcript.KeepPerObject)
	}
	if again := transcript.Spent(left, now, gone); len(again) != 0 {
		t.Errorf("a second sweep would remove %v", again)
	}
}
