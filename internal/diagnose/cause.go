package diagnose

// cause is one kind of fault: how it is found and how it is worded. Each lives in a file of its own.
type cause struct {
	id       CauseID
	severity Severity
	// check walks the examination and adds a finding for every fault of its kind. It may be nil for a cause that is
	// recognised in logs alone (fromLog) or added by the check of a related cause.
	check func(*exam)
	// fromLog makes the finding of a symptom whose log shows a signature of this cause; nil means the plain one:
	// message "<id>.message" and fix "<id>.fix" with the container and the line's own word.
	fromLog func(*exam, *symptom, hit) *Finding
	texts   texts
}

// causeOf returns a cause of the repertoire, nil for an id that it does not hold.
func (x *exam) causeOf(id CauseID) *cause { return x.causes[id] }

func (x *exam) severityOf(id CauseID) Severity {
	if c := x.causes[id]; c != nil {
		return c.severity
	}
	return Medium
}
