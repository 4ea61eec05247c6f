package classify

// nothing stands for the word that is not there.
var nothing token

// word returns the token at i if one is there.
func (x *extractor) word(i int) *token {
	if i < 0 || i >= len(x.tokens) {
		return &nothing
	}
	return &x.tokens[i]
}

// joint returns the word at i if nothing separates it from the one before.
func (x *extractor) joint(i int) *token {
	if t := x.word(i); t.before == breakNone {
		return t
	}
	return &nothing
}

// prior returns the word before i if nothing separates the two.
func (x *extractor) prior(i int) *token {
	if x.word(i).before == breakNone {
		return x.word(i - 1)
	}
	return &nothing
}
