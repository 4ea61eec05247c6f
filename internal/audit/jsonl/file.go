package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const (
	// firstLook is how much of the end of a file is read to find the last line of the log in it, and lastLook how much
	// is read at most: a file that ends in more of something else is another file.
	firstLook = 64 << 10
	lastLook  = 64 << 20
)

// file is a log in a file.
type file struct {
	path string
	// open is nil before the first line and after Close.
	open   *os.File
	closed bool
	// size is where the file ends as far as is known; -1 where a write failed.
	size int64
}

// prepare implements sink. It finds out whether the file was rotated, or has grown or shrunk by another's doing.
func (f *file) prepare(last link) (link, error) {
	if f.closed {
		return link{}, os.ErrClosed
	}
	if err := f.reopen(); err != nil {
		return link{}, err
	}
	info, err := f.open.Stat()
	if err != nil {
		return link{}, err
	}
	if info.Size() == f.size {
		return last, nil
	}
	found, torn, err := tail(f.open, info.Size())
	if err != nil {
		return link{}, err
	}
	f.size = info.Size()
	if torn {
		// What a crash left of a line was never acknowledged. It stays, as a line of its own.
		if err := f.write([]byte("\n")); err != nil {
			return link{}, err
		}
	}
	// Lines that are missing must break the chain, so what is remembered wins over what is found.
	if found.sequence > last.sequence {
		return found, nil
	}
	return last, nil
}

// reopen opens the file, unless it is open and still the one at the path.
func (f *file) reopen() error {
	there, err := os.Stat(f.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if f.open != nil && err == nil {
		if ours, err := f.open.Stat(); err == nil && os.SameFile(ours, there) {
			return nil
		}
	}
	opened, openErr := os.OpenFile(f.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if openErr != nil {
		return openErr
	}
	if f.open != nil {
		_ = f.open.Close() // every line in it is on the disk
	}
	f.open, f.size = opened, -1
	if err != nil {
		return syncFolder(filepath.Dir(f.path))
	}
	return nil
}

// syncFolder makes the name of a new file durable.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// write implements sink.
func (f *file) write(text []byte) error {
	known := f.size
	f.size = -1
	if _, err := f.open.Write(text); err != nil {
		return err
	}
	if err := f.open.Sync(); err != nil {
		return err
	}
	f.size = known + int64(len(text))
	return nil
}

// Close implements sink.
func (f *file) Close() error {
	f.closed = true
	if f.open == nil {
		return nil
	}
	err := f.open.Close()
	f.open = nil
	return err
}

// tail finds the last line of the log, and says whether the file ends in the middle of a line. A line that lacks nothing
// but its end counts.
func tail(r io.ReaderAt, size int64) (last link, torn bool, err error) {
	for look := int64(firstLook); size > 0; look *= 4 {
		text := make([]byte, min(look, size))
		from := size - int64(len(text))
		if _, err := r.ReadAt(text, from); err != nil && !errors.Is(err, io.EOF) {
			return link{}, false, err
		}
		torn = text[len(text)-1] != '\n'
		if from > 0 {
			// The first line may have lost its beginning.
			_, text, _ = bytes.Cut(text, []byte("\n"))
		}
		if last, ok := lastOf(text); ok {
			return last, torn, nil
		}
		if from == 0 {
			break
		}
		if look >= lastLook {
			return link{}, false, fmt.Errorf("its last %d MiB hold no line of an audit log", int64(lastLook)>>20)
		}
	}
	return link{}, torn, nil
}

// lastOf finds the last line of the log in the text.
func lastOf(text []byte) (link, bool) {
	for len(text) > 0 {
		start := bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n') + 1
		if _, at, ok := read(text[start:]); ok {
			return at, true
		}
		text = text[:start]
	}
	return link{}, false
}
