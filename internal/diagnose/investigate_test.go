package diagnose

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/eclusier/eclusier/internal/cluster"
)

// bottomless is a reader that always finds something new to read.
type bottomless struct {
	world *world
	reads int
	fail  error
}

func (b *bottomless) Read(_ context.Context, into *cluster.Snapshot, wants []cluster.Want) error {
	if b.fail != nil {
		return b.fail
	}
	b.reads++
	*into = *b.world.Snapshot
	for _, w := range wants {
		into.Gaps = append(into.Gaps, cluster.Gap{Want: w, Reason: cluster.GapUnavailable})
	}
	return nil
}

func (b *bottomless) Find(context.Context, cluster.Query) ([]cluster.Found, error) { return nil, nil }

func TestInvestigateEndsWhateverTheReaderDoes(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for _, name := range []string{"a1", "b2", "c3"} {
		_, p := w.deployment(name, nil)
		crashed(p, name, 1, "Error", "")
	}
	b := &bottomless{world: w}
	r, err := Investigate(context.Background(), b, &cluster.Snapshot{}, Question{Namespace: "app"})
	if err != nil || r.Verdict != Inconclusive || len(r.Wants) > 0 {
		t.Errorf("%v %v", r, err)
	}
	if b.reads > maxRounds {
		t.Errorf("read %d times", b.reads)
	}
}

func TestInvestigatePassesOnThatNothingCouldBeRead(t *testing.T) {
	t.Parallel()
	gone := errors.New("the server is gone")
	if _, err := Investigate(context.Background(), &bottomless{fail: gone}, &cluster.Snapshot{}, Question{}); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
}

func TestAWantThatWasTriedIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld()
	_, p := w.deployment("api", nil)
	crashed(p, "api", 1, "Error", "")
	log := cluster.Want{What: cluster.WantLog, Namespace: "app", Name: p.Name, Container: "api", Previous: true}
	if r := Diagnose(w.Snapshot, Question{Namespace: "app"}); !slices.Contains(r.Wants, log) {
		t.Fatalf("does not ask for the log: %v", r.Wants)
	}
	w.Gaps = append(w.Gaps, cluster.Gap{Want: log, Reason: cluster.GapNotFound})
	if r := Diagnose(w.Snapshot, Question{Namespace: "app"}); slices.Contains(r.Wants, log) {
		t.Error("asks for it again")
	}
}

func TestStartReadsWhatTheQuestionIsAbout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		question Question
		want     cluster.Want
	}{
		"a namespace":            {Question{Namespace: "app"}, cluster.Want{What: cluster.WantNamespace, Namespace: "app"}},
		"the namespace of a pod": {Question{Targets: []cluster.Ref{ref("Pod", "app", "x")}}, cluster.Want{What: cluster.WantNamespace, Namespace: "app"}},
		"a namespace as target":  {Question{Targets: []cluster.Ref{ref("Namespace", "", "app")}}, cluster.Want{What: cluster.WantNamespace, Namespace: "app"}},
		"a node":                 {Question{Targets: []cluster.Ref{ref("Node", "", "n1")}}, cluster.Want{What: cluster.WantPodsOnNode, Name: "n1"}},
		"the cluster":            {Question{}, cluster.Want{What: cluster.WantCluster}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Start(c.question); !slices.Contains(got, c.want) {
				t.Errorf("reads %v, want %v", got, c.want)
			}
		})
	}
}
