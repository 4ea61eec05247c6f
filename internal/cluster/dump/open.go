package dump

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/eclusier/eclusier/internal/cluster"
)

// Bounds of what is read. They hold for uncompressed bytes, so that a small archive cannot unfold into a big one.
const (
	maxFile  = 128 << 20
	maxTotal = 1 << 30
	maxFiles = 200_000
)

// errTooMuch ends the reading of an input that exceeds the bounds.
var errTooMuch = errors.New("more than may be read")

// Open reads a folder, a .tar.gz or .tgz archive, or a single file.
func Open(name string) (*Dump, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("opening the dump: %w", err)
	}
	l := newLoader()
	switch {
	case info.IsDir():
		err = l.folder(name)
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"), strings.HasSuffix(name, ".tar"):
		err = l.archive(name)
	default:
		err = l.single(name)
	}
	if errors.Is(err, errTooMuch) {
		l.gap(name, cluster.GapTruncated, fmt.Sprintf("more than %d MiB or %d files", maxTotal>>20, maxFiles))
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the dump: %w", err)
	}
	if l.objects == 0 {
		return nil, fmt.Errorf("reading the dump: %s holds no Kubernetes object", name)
	}
	return l.finish(), nil
}

func (l *loader) single(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return l.content(filepath.Base(name), f)
}

func (l *loader) folder(root string) error {
	// A root refuses to leave the folder, whatever links it holds.
	dir, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer dir.Close()
	return fs.WalkDir(dir.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			l.gap(name, cluster.GapUnavailable, err.Error())
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		f, err := dir.Open(name)
		if err != nil {
			l.gap(name, cluster.GapUnavailable, err.Error())
			return nil
		}
		defer f.Close()
		return l.file(name, f)
	})
}

func (l *loader) archive(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var in io.Reader = f
	if !strings.HasSuffix(name, ".tar") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return err
		}
		defer z.Close()
		in = z
	}
	// Headers and padding count as well: an archive of nothing else must end too.
	t := tar.NewReader(io.LimitReader(in, 2*maxTotal))
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if l.objects > 0 {
				l.gap(name, cluster.GapTruncated, err.Error())
				return nil
			}
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if !safe(h.Name) {
			l.gap(h.Name, cluster.GapForbidden, "the path leaves the archive")
			continue
		}
		if err := l.file(path.Clean(h.Name), t); err != nil {
			return err
		}
	}
}

// safe says that a path of an archive stays inside it.
func safe(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && !strings.Contains(name, `\`)
}

// file reads one file if it is of a kind that may hold objects or a log.
func (l *loader) file(name string, r io.Reader) error {
	if l.files++; l.files > maxFiles {
		return errTooMuch
	}
	if _, isLog := logPath(name); !isLog && !holdsObjects(name) {
		return nil
	}
	return l.content(name, r)
}

// content reads a file whatever its name.
func (l *loader) content(name string, r io.Reader) error {
	logged, isLog := logPath(name)
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	l.bytes += int64(len(data))
	switch {
	case l.bytes > maxTotal:
		return errTooMuch
	case err != nil:
		l.gap(name, cluster.GapUnavailable, err.Error())
	case isLog:
		l.log(logged, string(tail(data)), len(data) > maxFile)
	case len(data) > maxFile:
		l.gap(name, cluster.GapTruncated, fmt.Sprintf("larger than %d MiB", maxFile>>20))
	case isDumpStream(data):
		l.stream(name, data)
	default:
		l.documents(name, data)
	}
	return nil
}

// holdsObjects says that a file's name promises objects.
func holdsObjects(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml", ".json":
		return path.Base(name) != "expect.yaml"
	case "", ".txt", ".dump", ".out":
		base := path.Base(name)
		return base == "logs.txt" || strings.Contains(base, "dump") || strings.Contains(base, "cluster-info")
	}
	return false
}
