package audittest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/audit/audittest"
)

func TestRecorder(t *testing.T) {
	var log audittest.Recorder
	failure := errors.New("the volume is full")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	steps := []struct {
		name string
		ctx  context.Context
		fail error
		want error
	}{
		{"it records", t.Context(), nil, nil},
		{"it fails when told to", t.Context(), failure, failure},
		{"it obeys the context", cancelled, nil, context.Canceled},
		{"it records again", t.Context(), nil, nil},
	}
	for _, s := range steps {
		log.Fail(s.fail)
		if err := log.Record(s.ctx, audit.Entry{Actor: s.name}); !errors.Is(err, s.want) {
			t.Errorf("%s: got %v, want %v", s.name, err, s.want)
		}
	}
	got := log.Entries()
	if len(got) != 2 || got[0].Actor != steps[0].name || got[1].Actor != steps[3].name {
		t.Errorf("got %v", got)
	}
}
