package secrets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/transcript"
)

// secretType tells our Secrets from those of others. The API server lets nobody change it.
const secretType corev1.SecretType = "eclusier.io/kept"

const (
	contentKey = "content.gz"

	kindLabel      = "eclusier.io/kept"
	partLabel      = "eclusier.io/kept-part"
	namespaceLabel = "eclusier.io/kept-namespace"
	uidLabel       = "eclusier.io/kept-uid"
	revisionLabel  = "eclusier.io/kept-revision"
	partHead       = "head"
	partChunk      = "chunk"

	// indexAnnotation carries what labels cannot hold: names longer than 63 characters, and lists.
	indexAnnotation = "eclusier.io/kept-index"

	// chunkSize is how much of the packed content one Secret has. The API server takes 1 MiB of data.
	chunkSize = 512 << 10
	// maxIndex keeps the index within the 256 KiB that all annotations of an object may have.
	maxIndex = 200 << 10
	// maxChunks is what the largest content needs that cannot be packed any smaller.
	maxChunks = transcript.MaxSize/chunkSize + 1
)

// index is what a head says of its content.
type index struct {
	Name   string              `json:"name"`
	Made   time.Time           `json:"made"`
	Digest string              `json:"digest"`
	Size   int                 `json:"size"`
	Holds  []transcript.Object `json:"holds,omitempty"`
	// Chunks is how many there are beside the head, and Packed the part of their names that tells what is in them.
	Chunks int    `json:"chunks,omitempty"`
	Packed string `json:"packed,omitempty"`
}

// chunkName names the i-th chunk of a head by the sum over what is in all of them.
func chunkName(head, sum string, i int) string { return fmt.Sprintf("%s-%s-%d", head, sum, i) }

// ref names the head.
func ref(key transcript.Key) string { return fmt.Sprintf("%s-%s-%d", key.Kind, key.UID, key.Revision) }

func keyLabels(key transcript.Key) map[string]string {
	return map[string]string{
		kindLabel:      string(key.Kind),
		namespaceLabel: key.Namespace,
		uidLabel:       key.UID,
		revisionLabel:  strconv.Itoa(int(key.Revision)),
	}
}

// packed is content as it is written.
type packed struct {
	size   int
	digest string
	// sum tells one packing from another: a later version may pack the same content otherwise, and its chunks must not
	// be mixed with ours.
	sum    string
	chunks [][]byte
}

func pack(content []byte) (packed, error) {
	var buffer bytes.Buffer
	// Whoever waits for the effect waits for this as well; a better ratio saves a fifth of the space at twice the
	// time.
	writer, err := gzip.NewWriterLevel(&buffer, gzip.BestSpeed)
	if err != nil {
		return packed{}, err
	}
	_, err = writer.Write(content)
	if err := errors.Join(err, writer.Close()); err != nil {
		return packed{}, err
	}
	sum := sha256.Sum256(buffer.Bytes())
	return packed{
		size:   len(content),
		digest: digest(content),
		sum:    hex.EncodeToString(sum[:8]),
		chunks: slices.Collect(slices.Chunk(buffer.Bytes(), chunkSize)),
	}, nil
}

func unpack(body []byte, x index) ([]byte, error) {
	if x.Size < 0 || x.Size > transcript.MaxSize {
		return nil, fmt.Errorf("a size of %d", x.Size)
	}
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	content := make([]byte, x.Size)
	if _, err := io.ReadFull(reader, content); err != nil {
		return nil, err
	}
	if n, err := reader.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return nil, errors.Join(errors.New("more content than its size"), err)
	}
	if digest(content) != x.Digest {
		return nil, errors.New("another digest")
	}
	return content, nil
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// head makes the Secret that names the content, and holds it where it is one chunk.
func (s *Store) head(key transcript.Key, holds []transcript.Object, p packed) (*corev1.Secret, error) {
	x := index{Name: key.Name, Made: s.now().UTC(), Digest: p.digest, Size: p.size, Holds: holds}
	var data map[string][]byte
	if len(p.chunks) > 1 {
		x.Chunks, x.Packed = len(p.chunks), p.sum
	} else {
		data = map[string][]byte{contentKey: p.chunks[0]}
	}
	body, err := json.Marshal(x)
	if err != nil {
		return nil, fmt.Errorf("writing the index of %s: %w", key, err)
	}
	if len(body) > maxIndex {
		return nil, fault.New(fault.Terminal, transcript.TooLarge, fmt.Sprintf("%s holds more objects than an index can name", key), nil).
			With("Split the change into several smaller ones.")
	}
	labels := keyLabels(key)
	labels[partLabel] = partHead
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   s.namespace,
			Name:        ref(key),
			Labels:      labels,
			Annotations: map[string]string{indexAnnotation: string(body)},
		},
		Type: secretType,
		Data: data,
	}, nil
}

// chunk makes the Secret of one chunk. Nobody can change what is in it.
func (s *Store) chunk(key transcript.Key, name string, content []byte) *corev1.Secret {
	labels := keyLabels(key)
	labels[partLabel] = partChunk
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name, Labels: labels},
		Type:       secretType,
		Immutable:  ptr.To(true),
		Data:       map[string][]byte{contentKey: content},
	}
}

func readIndex(head metav1.Object) (index, error) {
	var x index
	err := json.Unmarshal([]byte(head.GetAnnotations()[indexAnnotation]), &x)
	if err == nil && (x.Chunks < 0 || x.Chunks > maxChunks) {
		err = fmt.Errorf("%d chunks", x.Chunks)
	}
	return x, err
}

// same says whether two heads keep the same content beside the same objects. When it was first kept does not count.
func same(a, b metav1.Object) bool {
	x, errX := readIndex(a)
	y, errY := readIndex(b)
	return errX == nil && errY == nil && x.Digest == y.Digest && x.Size == y.Size && slices.Equal(x.Holds, y.Holds) &&
		maps.Equal(a.GetLabels(), b.GetLabels())
}

// entry reads a head. One whose index is broken is listed with what its labels say, so that it is seen and removed in
// time.
func entry(head *metav1.PartialObjectMetadata) transcript.Entry {
	x, err := readIndex(head)
	if err != nil {
		x = index{Made: head.CreationTimestamp.Time}
	}
	revision, _ := strconv.ParseInt(head.Labels[revisionLabel], 10, 32)
	return transcript.Entry{
		Key: transcript.Key{
			Kind:      transcript.Kind(head.Labels[kindLabel]),
			Namespace: head.Labels[namespaceLabel],
			Name:      x.Name,
			UID:       head.Labels[uidLabel],
			Revision:  int32(revision),
		},
		Ref:    head.Name,
		Digest: x.Digest,
		Made:   x.Made,
		Size:   x.Size,
		Holds:  x.Holds,
	}
}
