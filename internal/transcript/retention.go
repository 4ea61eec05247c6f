package transcript

import (
	"cmp"
	"slices"
	"time"
)

// How long what nobody needs any more is kept.
const (
	// KeepPerObject is how many changes of one object are kept, the newest.
	KeepPerObject = 10
	// KeepFor is how long one is kept after it has ended.
	KeepFor = 7 * 24 * time.Hour
)

// Standing is how it stands with the change that an entry belongs to. The zero value is a change that is gone.
type Standing struct {
	// Needed: the change goes on. What it needs is never removed.
	Needed bool
	// Applied: the change touched its objects, or may have. Such changes are what people restore from, so they are
	// counted apart: plans that came to nothing do not push them out.
	Applied bool
	// Ended is when the change ended. Zero where nobody knows any more; then age counts from when the entry was made.
	Ended time.Time
}

// place is one object's share of what is kept.
type place struct {
	kind    Kind
	applied bool
	object  Object
}

// Spent returns those of the entries that are to be removed: what is older than KeepFor, what is among the KeepPerObject
// newest of none of the objects that it holds, and what a later revision of the same change has superseded. What is needed
// is never spent. An entry that holds no object goes by age alone.
func Spent(entries []Entry, now time.Time, standing func(Entry) Standing) []Entry {
	entries = slices.Clone(entries)
	Sort(entries)
	latest := map[Key]int32{}
	for _, e := range entries {
		latest[change(e)] = max(latest[change(e)], e.Revision)
	}
	taken := map[place]int{}
	var spent []Entry
	for _, e := range entries {
		s := standing(e)
		superseded := e.Revision < latest[change(e)]
		kept := !superseded && take(taken, e, s.Applied)
		old := now.Sub(ended(e, s)) > KeepFor
		if !s.Needed && (!kept || old) {
			spent = append(spent, e)
		}
	}
	return spent
}

// change is the key without the revision, and without what is only for people.
func change(e Entry) Key { return Key{Kind: e.Kind, UID: e.UID} }

func ended(e Entry, s Standing) time.Time {
	if s.Ended.IsZero() {
		return e.Made
	}
	return s.Ended
}

// take counts the entry among those of each of its objects, and says whether at least one of them has room for it.
func take(taken map[place]int, e Entry, applied bool) bool {
	kept := len(e.Holds) == 0
	for _, o := range e.Holds {
		p := place{kind: e.Kind, applied: applied, object: o}
		taken[p]++
		kept = kept || taken[p] <= KeepPerObject
	}
	return kept
}

// Sort puts the newest first, and those of one moment in the order of their refs.
func Sort(entries []Entry) {
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(b.Made.Compare(a.Made), cmp.Compare(b.Revision, a.Revision), cmp.Compare(a.Ref, b.Ref))
	})
}
