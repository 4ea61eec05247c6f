package classify

import "strings"

// toolArgument reads the name that a tool other than kubectl is given: "ansible-playbook hardening",
// "terraform apply for cdn in edge".
func (x *extractor) toolArgument(i int) bool {
	t := &x.tokens[i]
	switch {
	case !spelledAsName(t), t.is(never | isPrep | isAnd | isInfo | isMeta | isStop):
		return false
	case x.prior(i).text == "ansible-playbook" && strings.IndexByte(t.text, '.') < 0:
		x.take(i, Target{Kind: "Playbook", Name: t.text})
		return true
	case (t.class == 0 || t.is(isWord|isEnv)) && x.afterTerraform(i) && x.located(i+1):
		x.take(i, Target{Kind: "Terraform", Name: t.text})
		return true
	}
	return false
}

// afterTerraform tells whether the word at i is what a line of Terraform is for.
func (x *extractor) afterTerraform(i int) bool {
	p := x.prior(i)
	if p.text == "terraform" || p.text == "tofu" {
		return true
	}
	if !p.is(isOf | isPrep) {
		return false
	}
	for j := i - 1; j >= 0 && x.tokens[j+1].before != breakSentence; j-- {
		if text := x.tokens[j].text; text == "terraform" || text == "tofu" {
			return true
		}
	}
	return false
}
