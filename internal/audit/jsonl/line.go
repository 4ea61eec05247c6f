// Package jsonl writes the audit log as JSON lines, each carrying the hash of the one before.
//
// A line that is changed, removed or put in between breaks the chain at that place, which Verify finds. Lines cut off the
// end leave a whole chain: compare Summary.Head with a copy elsewhere. The log is written to a file, which is only ever
// added to and may be rotated by renaming or by copying and truncating, or to standard output, where every start of the
// program begins a chain of its own. Its first line tells of the start (Log.Start); that the end of the chain before was lost,
// nothing can tell.
package jsonl

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/eclusier/eclusier/internal/audit"
	"github.com/eclusier/eclusier/internal/fault"
)

// maxLine bounds a line: what reads it back must hold it in memory.
const maxLine = 1 << 20

// TooLarge is the reason of the fault of an entry that makes too long a line.
const TooLarge = "TooLarge"

// line is what is written. The first three fields make the chain.
type line struct {
	// Audit tells the lines of the log from others that were collected with them.
	Audit bool `json:"audit"`
	// Sequence counts the lines of a chain from 1.
	Sequence int64 `json:"sequence"`
	// Previous is the hash of the line before; empty in the first of a chain.
	Previous string    `json:"previous"`
	Time     time.Time `json:"time"`
	audit.Entry
}

// link is the place in the chain after which the next line comes. The zero value is before the first.
type link struct {
	sequence int64
	hash     string
}

// next makes the line after the link, with its end, and the link after it.
func (l link) next(now time.Time, e audit.Entry) ([]byte, link, error) {
	body, err := json.Marshal(line{Audit: true, Sequence: l.sequence + 1, Previous: l.hash, Time: now.UTC(), Entry: e})
	if err != nil {
		return nil, link{}, fmt.Errorf("writing the entry as JSON: %w", err)
	}
	if len(body) >= maxLine {
		return nil, link{}, fault.New(fault.Terminal, TooLarge, fmt.Sprintf("the entry of the audit log has %d bytes, and a line %d", len(body), maxLine), nil)
	}
	return append(body, '\n'), link{sequence: l.sequence + 1, hash: hash(body)}, nil
}

// read returns the place of a line in the chain; false for what is no line of an audit log.
func read(text []byte) (previous string, at link, ok bool) {
	var l struct {
		Audit    bool   `json:"audit"`
		Sequence int64  `json:"sequence"`
		Previous string `json:"previous"`
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	if json.Unmarshal(text, &l) != nil || !l.Audit || l.Sequence < 1 {
		return "", link{}, false
	}
	return l.Previous, link{sequence: l.Sequence, hash: hash(text)}, true
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
