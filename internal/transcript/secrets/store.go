// Package secrets keeps plans and snapshots as gzip Secrets in the operator's own namespace, where no tenant reads.
//
// What belongs to one key is one Secret, the head, that carries an index as its annotation. What is small is in the head
// itself: one write. What is larger lies in chunks, written before the head that names them, so that a crash in between
// leaves nothing that can be read by half. Chunks are named by what is in them and never change; a head that is replaced
// names other chunks, and the former ones go with the next Sweep. Lists read metadata only.
//
// The package decides nothing about what is kept: package transcript says what is spent, its caller what is needed.
package secrets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/eclusier/eclusier/internal/fault"
	"github.com/eclusier/eclusier/internal/transcript"
)

// owner is the name under which the API server records the writes.
const owner = client.FieldOwner("eclusier")

// Store is a transcript.Store. It holds no state of its own.
type Store struct {
	client    client.Client
	namespace string
	now       func() time.Time
}

var _ transcript.Store = (*Store)(nil)

// New returns the store of the namespace. The client must read from the API server itself: one with a cache would watch
// every Secret it may see, and serve what is older than what it wrote.
func New(c client.Client, namespace string, now func() time.Time) *Store {
	return &Store{client: c, namespace: namespace, now: now}
}

// Put implements transcript.Store.
func (s *Store) Put(ctx context.Context, key transcript.Key, holds []transcript.Object, content []byte) (string, error) {
	if err := transcript.Check(key, holds, content); err != nil {
		return "", err
	}
	p, err := pack(content)
	if err != nil {
		return "", fmt.Errorf("packing %s: %w", key, err)
	}
	head, err := s.head(key, holds, p)
	if err != nil {
		return "", err
	}
	if len(p.chunks) > 1 {
		if kept, err := s.keeps(ctx, head); err != nil || kept {
			return head.Name, err
		}
		for i, chunk := range p.chunks {
			err := s.client.Create(ctx, s.chunk(key, chunkName(head.Name, p.sum, i), chunk), owner)
			if err != nil && !apierrors.IsAlreadyExists(err) {
				return "", s.unkept(key, err)
			}
		}
	}
	err = s.client.Create(ctx, head, owner)
	if apierrors.IsAlreadyExists(err) {
		err = s.replace(ctx, head)
	}
	if err != nil {
		return "", s.unkept(key, err)
	}
	return head.Name, nil
}

// unkept says what keeps the key from being kept. The API server's plain answer that something does not exist would be
// taken for the end of the change itself.
func (s *Store) unkept(key transcript.Key, err error) error {
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("keeping %s: %w", key, err)
	}
	message := fmt.Sprintf("%s cannot be kept: the namespace %s does not exist", key, s.namespace)
	return fault.New(fault.Retry, fault.Unavailable, message, nil).With("Start the operator with --namespace set to its own namespace.")
}

// keeps says whether the head is there already, with the same content.
func (s *Store) keeps(ctx context.Context, head *corev1.Secret) (bool, error) {
	there := metadata()
	err := s.client.Get(ctx, client.ObjectKeyFromObject(head), there)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking for %s: %w", head.Name, err)
	}
	return same(there, head), nil
}

// replace writes the head over the one that is there, unless it says the same.
func (s *Store) replace(ctx context.Context, head *corev1.Secret) error {
	there := &corev1.Secret{}
	if err := s.client.Get(ctx, client.ObjectKeyFromObject(head), there); err != nil {
		return gone(head, err)
	}
	if there.Type != secretType {
		return fault.New(fault.Terminal, fault.AlreadyExists, "another Secret has the name "+head.Name, nil).
			With(fmt.Sprintf("kubectl -n %s delete secret %s", s.namespace, head.Name))
	}
	if same(there, head) {
		return nil
	}
	head.UID, head.ResourceVersion = there.UID, there.ResourceVersion
	return gone(head, s.client.Update(ctx, head, owner))
}

// gone says that somebody removed the head while it was being replaced.
func gone(head *corev1.Secret, err error) error {
	if apierrors.IsNotFound(err) {
		return fault.New(fault.Retry, fault.Conflict, head.Name+" was removed while it was replaced", nil)
	}
	return err
}

// Get implements transcript.Store.
func (s *Store) Get(ctx context.Context, key transcript.Key) ([]byte, error) {
	if err := key.Check(); err != nil {
		return nil, err
	}
	head := &corev1.Secret{}
	err := s.client.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: ref(key)}, head)
	if apierrors.IsNotFound(err) {
		return nil, transcript.Missing(key)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", key, err)
	}
	x, err := readIndex(head)
	if err != nil || head.Type != secretType {
		return nil, damaged(key, err)
	}
	body := head.Data[contentKey]
	for i := range x.Chunks {
		chunk := &corev1.Secret{}
		err := s.client.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: chunkName(head.Name, x.Packed, i)}, chunk)
		if apierrors.IsNotFound(err) {
			return nil, damaged(key, errors.New("a chunk is gone"))
		}
		if err != nil {
			return nil, fmt.Errorf("reading chunk %d of %s: %w", i, key, err)
		}
		body = append(body, chunk.Data[contentKey]...)
	}
	content, err := unpack(body, x)
	if err != nil {
		return nil, damaged(key, err)
	}
	return content, nil
}

func damaged(key transcript.Key, cause error) error {
	return fault.New(fault.Terminal, transcript.Damaged, key.String()+" is not what was kept: somebody changed it, or removed a part", cause).
		With("Make the change again: a new plan is made from what is live.")
}

// List implements transcript.Store.
func (s *Store) List(ctx context.Context, kind transcript.Kind, namespace string) ([]transcript.Entry, error) {
	labels := client.MatchingLabels{kindLabel: string(kind), partLabel: partHead}
	if namespace != "" {
		labels[namespaceLabel] = namespace
	}
	heads, err := s.list(ctx, labels)
	if err != nil {
		return nil, fmt.Errorf("listing what is kept: %w", err)
	}
	entries := make([]transcript.Entry, 0, len(heads))
	for i := range heads {
		entries = append(entries, entry(&heads[i]))
	}
	transcript.Sort(entries)
	return entries, nil
}

// Drop implements transcript.Store. The head goes first: without it, nothing can be read.
func (s *Store) Drop(ctx context.Context, key transcript.Key) error {
	if err := key.Check(); err != nil {
		return err
	}
	labels := client.MatchingLabels(keyLabels(key))
	delete(labels, namespaceLabel)
	parts, err := s.list(ctx, labels)
	if err != nil {
		return fmt.Errorf("listing the parts of %s: %w", key, err)
	}
	// The name of the head is the beginning of all the others.
	slices.SortFunc(parts, func(a, b metav1.PartialObjectMetadata) int { return cmp.Compare(a.Name, b.Name) })
	for i := range parts {
		if err := s.remove(ctx, &parts[i]); err != nil {
			return fmt.Errorf("removing %s: %w", key, err)
		}
	}
	return nil
}

// remove deletes exactly the object that was read, and nothing that has taken its name since.
func (s *Store) remove(ctx context.Context, part *metav1.PartialObjectMetadata) error {
	part.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err := s.client.Delete(ctx, part, client.Preconditions{UID: &part.UID})
	return client.IgnoreNotFound(err)
}

// pageSize is how many Secrets are asked for at a time.
const pageSize = 500

// list reads the metadata of Secrets, page by page.
func (s *Store) list(ctx context.Context, labels client.ListOption) ([]metav1.PartialObjectMetadata, error) {
	var all []metav1.PartialObjectMetadata
	for token := ""; ; {
		page := &metav1.PartialObjectMetadataList{}
		page.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
		err := s.client.List(ctx, page, client.InNamespace(s.namespace), labels, client.Limit(pageSize), client.Continue(token))
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if token = page.Continue; token == "" {
			return all, nil
		}
	}
}

func metadata() *metav1.PartialObjectMetadata {
	m := &metav1.PartialObjectMetadata{}
	m.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return m
}
