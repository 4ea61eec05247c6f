package live

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/fault"
)

const (
	// readBytes bounds what is transferred for one log. The server cuts behind this many bytes, that is at the wrong
	// end, so it is far above what TailLines lines of usual length take.
	readBytes = 1 << 20
	// fewLines is asked for if TailLines lines exceed readBytes.
	fewLines = 20
)

// tail reads the end of one container's log.
func (r *Reader) tail(ctx context.Context, want cluster.Want) (outcome, error) {
	text, err := r.lines(ctx, want, cluster.TailLines)
	truncated := strings.Count(text, "\n") >= cluster.TailLines
	if err == nil && len(text) >= readBytes {
		text, err = r.lines(ctx, want, fewLines)
		truncated = true
	}
	if err != nil {
		return outcome{}, logFault(err)
	}
	if len(text) > cluster.TailBytes {
		text = wholeLines(text[len(text)-cluster.TailBytes:])
		truncated = true
	}
	log := &cluster.Log{
		Pod:       cluster.Ref{Kind: "Pod", Namespace: want.Namespace, Name: want.Name},
		Container: want.Container, Previous: want.Previous, Text: text, Truncated: truncated,
	}
	return outcome{store: func(s *cluster.Snapshot) { s.Logs = append(s.Logs, log) }}, nil
}

func (r *Reader) lines(ctx context.Context, want cluster.Want, lines int64) (string, error) {
	ctx, cancel := r.bounded(ctx)
	defer cancel()
	limit := int64(readBytes)
	stream, err := r.logs.Pods(want.Namespace).GetLogs(want.Name, &corev1.PodLogOptions{
		Container: want.Container, Previous: want.Previous, TailLines: &lines, LimitBytes: &limit,
	}).Stream(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = stream.Close() }()
	text, err := io.ReadAll(io.LimitReader(stream, readBytes))
	return string(text), err
}

// logFault reads the answer 400, which the node gives where a container has not run yet or has no former instance, as
// what it means.
func logFault(err error) error {
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Code == http.StatusBadRequest {
		return fault.New(fault.Terminal, fault.NotFound, "the container has no such log", err)
	}
	return err
}

// wholeLines drops the rest of a line that text begins with, unless it is the only line.
func wholeLines(text string) string {
	if end := strings.IndexByte(text, '\n'); end >= 0 && end+1 < len(text) {
		return text[end+1:]
	}
	return text
}
