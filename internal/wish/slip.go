package wish

import (
	"slices"
	"strings"
)

// means tells whether the word at i is one of the sentences' words, written with a hyphen that it need not have or
// misspelt included.
func (r *reader) means(i int, literal string) bool {
	w := &r.words[i]
	corrected := w.Text != w.Plain
	switch {
	case w.Text == literal:
		return true
	case strings.Contains(w.Text, "-"):
		return strings.Contains(prefixed, " "+w.Text[:strings.IndexByte(w.Text, '-')]+" ") && strings.Replace(w.Text, "-", "", 1) == literal
	case w.Quoted, w.Known && !corrected, grammar().literals[w.Plain]:
		return false
	}
	meant, ok := r.slips[i]
	if !ok {
		meant = misspells(w.Plain)
		r.slips[i] = meant
	}
	return slices.Contains(meant, literal)
}

// prefixed are the beginnings of verbs that people set off with a hyphen: "re-enable", "dé-cordonner".
const prefixed = " re un de "

// The shortest word that may be a slip, and the shortest in which two letters may be wrong.
const (
	minSlip = 5
	twoSlip = 8
)

// misspells returns the words of the sentences that a word misspells: by one letter or by two neighbours swapped, in longer
// words by two. More than one may fit; that they mean different things is then found by reading them all.
func misspells(word string) []string {
	if len(word) < minSlip || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
		return nil
	}
	far := 1
	if len(word) >= twoSlip {
		far = 2
	}
	var meant []string
	for literal := range grammar().literals {
		if len(literal) >= minSlip && distance(word, literal, far) <= far {
			meant = append(meant, literal)
		}
	}
	return meant
}

// distance counts the letters that are wrong, missing, added or swapped; beyond a limit it need not be exact.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[(i+2)%3], rows[i%3], rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			wrong := 1
			if a[i-1] == b[j-1] {
				wrong = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+wrong)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}
