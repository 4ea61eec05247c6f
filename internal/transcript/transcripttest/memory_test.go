package transcripttest_test

import (
	"testing"
	"time"

	"github.com/eclusier/eclusier/internal/transcript"
	"github.com/eclusier/eclusier/internal/transcript/transcripttest"
)

func TestMemory(t *testing.T) {
	transcripttest.Contract(t, func(_ *testing.T, now func() time.Time) transcript.Store { return transcripttest.Memory(now) })
}
