package diagnose

import (
	"context"
	"fmt"

	"github.com/eclusier/eclusier/internal/cluster"
)

// maxRounds bounds how often Investigate reads.
const maxRounds = 6

// Investigate reads through the port and diagnoses until there is nothing more to read that would help, at most six
// times. The snapshot may hold what was read before. An error means that nothing could be read.
func Investigate(ctx context.Context, r cluster.Reader, s *cluster.Snapshot, q Question) (*Report, error) {
	wants := Start(q)
	for range maxRounds {
		if err := r.Read(ctx, s, wants); err != nil {
			return nil, fmt.Errorf("reading the cluster: %w", err)
		}
		report := Diagnose(s, q)
		if len(report.Wants) == 0 {
			return report, nil
		}
		wants = report.Wants
	}
	report := Diagnose(s, q)
	report.Wants = nil
	return report, nil
}
