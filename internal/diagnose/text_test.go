package diagnose

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/language"
)

var verb = regexp.MustCompile(`%(?:\[\d+\])?[a-z]`)

func TestEverySentenceExistsInBothLanguagesWithTheSameArguments(t *testing.T) {
	t.Parallel()
	all := slices.Clone(moduleTexts)
	for _, c := range allCauses {
		all = append(all, c.texts)
	}
	for _, one := range all {
		for id, english := range one.english {
			french, ok := one.french[id]
			if !ok {
				t.Errorf("%s has no French", id)
				continue
			}
			for _, s := range []string{english, french} {
				for _, v := range verb.FindAllString(s, -1) {
					if !strings.HasPrefix(v, "%[") {
						t.Errorf("%s does not number its arguments: %q", id, s)
					}
				}
			}
			a, b := verb.FindAllString(english, -1), verb.FindAllString(french, -1)
			slices.Sort(a)
			slices.Sort(b)
			if !slices.Equal(slices.Compact(a), slices.Compact(b)) {
				t.Errorf("%s: arguments %v in English, %v in French", id, a, b)
			}
		}
		if len(one.french) != len(one.english) {
			t.Errorf("%d sentences in English, %d in French: %v", len(one.english), len(one.french), one.french)
		}
	}
}

func TestEveryCauseHasASeverityAndEverySignatureACause(t *testing.T) {
	t.Parallel()
	for _, c := range allCauses {
		if c.severity == "" {
			t.Errorf("%s has no severity", c.id)
		}
		if c.check == nil && c.fromLog == nil && len(c.texts.english) == 0 {
			t.Errorf("%s can never be found", c.id)
		}
	}
	for _, s := range signatures {
		if causesByID[s.cause] == nil {
			t.Errorf("signature %q names %s, which is no cause", s.name, s.cause)
		}
		if len(s.words) == 0 {
			t.Errorf("signature %q has no words to look for first", s.name)
		}
		for _, w := range slices.Concat(s.words, s.unless) {
			if w != strings.ToLower(w) {
				t.Errorf("signature %q looks for %q, which no lower-case line holds", s.name, w)
			}
		}
	}
}

func TestUntrustedTextIsHarmlessInEvidence(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"terminal escapes":       {"a\x1b[31mred\x1b[0m b", "ared b"},
		"line breaks":            {"a\nb\r\nc", "a b c"},
		"a password":             {"login password=hunter2hunter2 failed", "login password=[redacted] failed"},
		"direction marks":        {"a\u202eb", "ab"},
		"bytes that are no text": {"a\xffb", "a\uFFFDb"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := cite(LogEvidence, "log", c.text, 0).Text; got != c.want {
				t.Errorf("cited as %q, want %q", got, c.want)
			}
		})
	}
}

func TestLongEvidenceKeepsItsBeginningAndItsPoint(t *testing.T) {
	t.Parallel()
	text := "head " + strings.Repeat("x ", 600) + "THE POINT" + strings.Repeat(" y", 600) + " tail"
	for name, c := range map[string]struct {
		focus int
		want  []string
	}{
		"a point in the middle":           {strings.Index(text, "THE POINT"), []string{"head ", "THE POINT"}},
		"no point: the cause stands last": {0, []string{"head ", " tail"}},
		"a point at the end":              {len(text) - 5, []string{"head ", " tail"}},
		"a point beyond the text":         {len(text) * 2, []string{"head ", " tail"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := cite(LogEvidence, "log", text, c.focus).Text
			if n := len([]rune(got)); n > maxEvidenceRunes {
				t.Errorf("%d runes", n)
			}
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("%q is cut out of %q", w, got)
				}
			}
		})
	}
}

func TestAnUnknownLanguageIsAnsweredInEnglish(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{"fr-CA": "rien", "fr": "rien", "de": "nothing", "und": "nothing"} {
		x := &exam{printer: newPrinter(language.Make(tag))}
		if got := x.say("observe.nothing"); !strings.HasPrefix(got, want) {
			t.Errorf("%s is answered %q", tag, got)
		}
	}
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, unicode.IsControl)
}
