package classify

import "strings"

// inflect yields the regular forms of a verb with the class of each: commands keep the class of the verb, other forms
// tell of a change or are just common words.
func inflect(verb string, base class, lang language) map[string]class {
	other := isStop
	if base&(isChange|isVague) != 0 {
		other = isPart
	}
	forms := make(map[string]class, 16)
	if lang == inFrench {
		inflectFrench(verb, base, other, forms)
	} else {
		inflectEnglish(verb, other, forms)
	}
	forms[verb] = base
	return forms
}

func inflectEnglish(verb string, other class, forms map[string]class) {
	head, particle, _ := strings.Cut(verb, "_")
	if particle != "" {
		particle = "_" + particle
	}
	put := func(stem string, endings ...string) {
		for _, ending := range endings {
			forms[stem+ending+particle] = other
		}
	}
	last, n := head[len(head)-1], len(head)
	switch {
	case last == 'e':
		put(head, "s", "d")
		put(head[:n-1], "ing")
	case last == 'y' && !isVowel(head[n-2]):
		put(head[:n-1], "ies", "ied")
		put(head, "ing")
	default:
		put(head, plural(head), "ed", "ing")
		if n >= 3 && !isVowel(last) && isVowel(head[n-2]) && !isVowel(head[n-3]) {
			put(head+string(last), "ed", "ing")
		}
	}
}

func isVowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// plural returns the ending of the third person: "pushes", "stops".
func plural(head string) string {
	for _, sibilant := range []string{"s", "x", "sh", "ch"} {
		if strings.HasSuffix(head, sibilant) {
			return "es"
		}
	}
	return "s"
}

func inflectFrench(verb string, base, other class, forms map[string]class) {
	stem := verb[:len(verb)-2]
	switch {
	case strings.HasSuffix(verb, "er"):
		for _, ending := range []string{"ait", "ais", "aient", "ant", "era", "erai", "erait", "erais", "eront", "ent", "ee", "ees"} {
			forms[stem+ending] = other
		}
		for _, ending := range []string{"e", "es", "ez", "ons", "iez"} {
			forms[stem+ending] = base
		}
		if strings.HasSuffix(verb, "oyer") {
			forms[verb[:len(verb)-3]+"ie"] = base
		}
		if strings.HasSuffix(verb, "ger") {
			forms[stem+"eait"] = other
			forms[stem+"eant"] = other
		}
	case strings.HasSuffix(verb, "ir"):
		for _, ending := range []string{"is", "issez", "issons"} {
			forms[stem+ending] = base
		}
		for _, ending := range []string{"i", "ie", "it", "issait", "issant", "ira", "irait"} {
			forms[stem+ending] = other
		}
	}
}
