package fault_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/eclusier/eclusier/internal/fault"
)

var pods = schema.GroupResource{Resource: "pods"}

func TestOf(t *testing.T) {
	status := func(code int32) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Code: code, Message: "forbidden: not found: timeout"}}
	}
	tests := []struct {
		name   string
		err    error
		fate   fault.Fate
		reason string
	}{
		{"an overloaded API server is tried again", apierrors.NewTooManyRequests("slow down", 7), fault.Retry, fault.RateLimit},
		{"a request that timed out at the server is tried again", status(408), fault.Retry, fault.Timeout},
		{"a gateway that timed out is tried again", apierrors.NewTimeoutError("etcd", 1), fault.Retry, fault.Timeout},
		{"an internal error of the server is tried again", apierrors.NewInternalError(errors.New("x")), fault.Retry, fault.Unavailable},
		{"any other 5xx is tried again", status(599), fault.Retry, fault.Unavailable},
		{"a conflict is tried again", apierrors.NewConflict(pods, "web-0", nil), fault.Retry, fault.Conflict},
		{"an expired page token is tried again", apierrors.NewResourceExpired("old"), fault.Retry, fault.Conflict},
		{"something that exists already stays so", apierrors.NewAlreadyExists(pods, "web-0"), fault.Terminal, fault.AlreadyExists},
		{"a bad request stays bad", apierrors.NewBadRequest("no"), fault.Terminal, fault.InvalidInput},
		{"unknown credentials stay unknown", apierrors.NewUnauthorized("no"), fault.Terminal, fault.CredentialsRejected},
		{"a missing right stays missing", apierrors.NewForbidden(pods, "web-0", nil), fault.Terminal, fault.PermissionDenied},
		{"what does not exist is not tried again", apierrors.NewNotFound(pods, "web-0"), fault.Terminal, fault.NotFound},
		{"what validation refuses is not tried again", status(422), fault.Terminal, fault.InvalidInput},
		{"any other 4xx is not tried again", status(451), fault.Terminal, fault.InvalidInput},
		{"the code counts, not the text", status(403), fault.Terminal, fault.PermissionDenied},
		{"an unknown kind is not tried again", &meta.NoKindMatchError{}, fault.Terminal, fault.NotFound},
		{"a deadline is tried again", context.DeadlineExceeded, fault.Retry, fault.Timeout},
		{"a network time-out is tried again", &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, fault.Retry, fault.Timeout},
		{"a stop of eclusier itself waits", context.Canceled, fault.Wait, fault.Interrupted},
		{"a reset is tried again", syscall.ECONNRESET, fault.Retry, fault.ConnectionLost},
		{"a refused connection is tried again", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, fault.Retry, fault.ConnectionLost},
		{"a body cut off is tried again", &url.Error{Op: "Get", URL: "x", Err: io.ErrUnexpectedEOF}, fault.Retry, fault.ConnectionLost},
		{"a name that does not resolve is tried again", &net.DNSError{IsNotFound: true}, fault.Retry, fault.ConnectionLost},
		{"an untrusted certificate is not tried again", &url.Error{Op: "Get", URL: "x", Err: x509.UnknownAuthorityError{}}, fault.Terminal, fault.CredentialsRejected},
		{"text alone decides nothing", errors.New("429 too many requests, forbidden"), fault.Retry, fault.Unexpected},
		{"a stated fault keeps its fate", fmt.Errorf("policy: %w", fault.New(fault.Terminal, fault.PolicyViolation, "no", status(500))), fault.Terminal, fault.PolicyViolation},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, err := range []error{tt.err, fmt.Errorf("reading pods: %w", tt.err), errors.Join(errors.New("first"), tt.err)} {
				got := fault.Of(err)
				if got.Fate != tt.fate || got.Reason != tt.reason {
					t.Errorf("Of(%v) = %s %s, want %s %s", err, got.Fate, got.Reason, tt.fate, tt.reason)
				}
				if got.Message == "" {
					t.Errorf("Of(%v) has no sentence for people", err)
				}
				if fault.Is(err, tt.reason) != true || fault.IsRetry(err) != (tt.fate == fault.Retry) {
					t.Errorf("Is and IsRetry disagree with Of for %v", err)
				}
			}
		})
	}
}

func TestOf_nothing(t *testing.T) {
	if fault.Of(nil) != nil || fault.Is(nil, "") || fault.IsRetry(nil) {
		t.Error("no error must be no fault")
	}
}

func TestOf_retryAfter(t *testing.T) {
	if got := fault.Of(apierrors.NewTooManyRequests("slow down", 7)).RetryAfter; got != 7*time.Second {
		t.Errorf("a rate limit asks for %s, want 7s", got)
	}
	if got := fault.OfStatus(http.StatusServiceUnavailable, -time.Second, nil).RetryAfter; got != 0 {
		t.Errorf("a negative Retry-After becomes %s, want 0", got)
	}
	if got := fault.OfStatus(http.StatusForbidden, time.Minute, nil).RetryAfter; got != 0 {
		t.Errorf("a terminal fault asks for a retry after %s", got)
	}
	if got := fault.OfStatus(302, 0, nil); got.Fate != fault.Retry || got.Reason != fault.Unexpected {
		t.Errorf("a code below 400 gives %s %s", got.Fate, got.Reason)
	}
}

// TestOf_realConnections makes the errors with real sockets, since their types are what classification rests on.
func TestOf_realConnections(t *testing.T) {
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hang":
			<-hang
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("short"))
		}
	}))
	defer server.Close()
	defer close(hang)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()

	get := func(target string, patience time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		_, err = io.ReadAll(response.Body)
		return err
	}
	tests := []struct {
		name, target string
		patience     time.Duration
		fate         fault.Fate
		reason       string
	}{
		{"a server that hangs", server.URL + "/hang", 100 * time.Millisecond, fault.Retry, fault.Timeout},
		{"a body cut off", server.URL + "/cut", time.Minute, fault.Retry, fault.ConnectionLost},
		{"nobody listens", closed.URL, time.Minute, fault.Retry, fault.ConnectionLost},
		{"a certificate nobody trusts", secure.URL, time.Minute, fault.Terminal, fault.CredentialsRejected},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fault.Of(get(tt.target, tt.patience)); got.Fate != tt.fate || got.Reason != tt.reason {
				t.Errorf("got %s %s (%v), want %s %s", got.Fate, got.Reason, got, tt.fate, tt.reason)
			}
		})
	}
}

func TestFault_With(t *testing.T) {
	plain := fault.New(fault.Terminal, fault.PermissionDenied, "no right", errors.New("cause"))
	helped := plain.With("kubectl create rolebinding ...")
	if len(plain.Remedies) != 0 || len(helped.Remedies) != 1 {
		t.Errorf("remedies: %v and %v", plain.Remedies, helped.Remedies)
	}
	if want := "PermissionDenied: no right: cause"; helped.Error() != want {
		t.Errorf("got %q, want %q", helped.Error(), want)
	}
}
