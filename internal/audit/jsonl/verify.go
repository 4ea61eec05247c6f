package jsonl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Summary is what Verify has read.
type Summary struct {
	// Lines counts the lines of the log.
	Lines int
	// First and Last are the sequence numbers of the first line and of the last. A log whose beginning was rotated away
	// does not begin with 1.
	First, Last int64
	// Chains counts how often the log began. In a file it begins once; on standard output, with every start.
	Chains int
	// Foreign counts lines that do not belong to the log: those of other programs, and what crashes left.
	Foreign int
	// Head is the hash of the last line. Whoever keeps it elsewhere sees that lines were cut off the end.
	Head string
}

// BrokenError says where the chain is broken.
type BrokenError struct {
	// Line counts all lines from 1.
	Line   int
	Reason string
}

// Error names the place.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("the chain is broken at line %d: %s", e.Line, e.Reason)
}

// Verify reads a log to its end and checks that each line follows the one before. The first may follow one that was
// rotated away. It returns a *BrokenError where the chain is broken, with a summary of what comes before.
func Verify(r io.Reader) (Summary, error) {
	var s Summary
	var last link
	lines := bufio.NewReaderSize(r, maxLine)
	for number := 1; ; number++ {
		text, err := nextLine(lines)
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return s, fmt.Errorf("reading line %d: %w", number, err)
		}
		at, reason := s.add(text, last)
		if reason != "" {
			return s, &BrokenError{Line: number, Reason: reason}
		}
		if at != (link{}) {
			last = at
		}
	}
}

// nextLine reads a line, with or without its end, or io.EOF. A line longer than any of the log is read as an empty one.
func nextLine(lines *bufio.Reader) ([]byte, error) {
	text, err := lines.ReadSlice('\n')
	for errors.Is(err, bufio.ErrBufferFull) {
		if _, err = lines.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			text = []byte("\n")
		}
	}
	if errors.Is(err, io.EOF) && len(text) > 0 {
		err = nil
	}
	return text, err
}

// add counts a line, and returns its place in the chain, or why it has none. What does not belong to the log has neither.
func (s *Summary) add(text []byte, last link) (at link, reason string) {
	previous, at, ok := read(text)
	if !ok {
		s.Foreign++
		return link{}, ""
	}
	if first := s.Lines == 0; first || at.sequence == 1 && previous == "" {
		s.Chains++
		if first {
			s.First = at.sequence
		}
	} else if reason := misfit(previous, at, last); reason != "" {
		return link{}, reason
	}
	s.Lines++
	s.Last, s.Head = at.sequence, at.hash
	return at, ""
}

// misfit says why a line does not follow the last one; nothing where it does.
func misfit(previous string, at, last link) string {
	switch {
	case at.sequence != last.sequence+1:
		return fmt.Sprintf("it is number %d, after number %d", at.sequence, last.sequence)
	case previous != last.hash:
		return fmt.Sprintf("number %d is not what it was when number %d was written", last.sequence, at.sequence)
	}
	return ""
}
