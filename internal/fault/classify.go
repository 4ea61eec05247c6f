package fault

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Of returns the fault behind err, deriving it from types and status codes where no code has stated one. It is nil for
// nil.
func Of(err error) *Fault {
	if err == nil {
		return nil
	}
	if f, ok := stated(err); ok {
		return f
	}
	for _, classify := range []func(error) *Fault{ofContext, ofAPIStatus, ofDiscovery, ofCertificate, ofNetwork} {
		if f := classify(err); f != nil {
			f.cause = err
			return f
		}
	}
	return New(Retry, Unexpected, "an unexpected error occurred", err)
}

// OfStatus returns the fault for an HTTP status code of 400 and above. retryAfter is what the answer asked for, zero if
// nothing.
func OfStatus(code int, retryAfter time.Duration, cause error) *Fault {
	f := byCode(code)
	f.cause = cause
	if f.Fate == Retry {
		f.RetryAfter = max(retryAfter, 0)
	}
	return f
}

// byCode is the table of requirement C-3.1-4.
func byCode(code int) *Fault {
	switch code {
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return New(Retry, Timeout, "no answer came in time", nil)
	case http.StatusTooManyRequests:
		return New(Retry, RateLimit, "the server asks for fewer requests", nil)
	case http.StatusConflict:
		return New(Retry, Conflict, "the object was changed by someone else in between", nil)
	case http.StatusGone:
		return New(Retry, Conflict, "the list changed too much while it was read", nil)
	case http.StatusUnauthorized:
		return New(Terminal, CredentialsRejected, "the credentials are not accepted", nil)
	case http.StatusForbidden:
		return New(Terminal, PermissionDenied, "the account lacks the right to do this", nil)
	case http.StatusNotFound:
		return New(Terminal, NotFound, "the thing asked for does not exist", nil)
	}
	switch {
	case code >= 500:
		return New(Retry, Unavailable, "the server is overloaded or broken", nil)
	case code >= 400:
		return New(Terminal, InvalidInput, "the request is not valid", nil)
	}
	return New(Retry, Unexpected, "the server gave an unexpected answer", nil)
}

func ofContext(err error) *Fault {
	switch {
	case errors.Is(err, context.Canceled):
		return New(Wait, Interrupted, "the work was interrupted and goes on later", nil)
	case errors.Is(err, context.DeadlineExceeded):
		return New(Retry, Timeout, "no answer came in time", nil)
	}
	return nil
}

func ofAPIStatus(err error) *Fault {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return nil
	}
	s := status.Status()
	if s.Reason == metav1.StatusReasonAlreadyExists {
		return New(Terminal, AlreadyExists, "something of this name exists already", nil)
	}
	var retryAfter time.Duration
	if s.Details != nil {
		retryAfter = time.Duration(s.Details.RetryAfterSeconds) * time.Second
	}
	if code := int(s.Code); code != 0 {
		return OfStatus(code, retryAfter, nil)
	}
	return nil
}

func ofDiscovery(err error) *Fault {
	if meta.IsNoMatchError(err) {
		return New(Terminal, NotFound, "the cluster serves no such kind", nil)
	}
	return nil
}

func ofCertificate(err error) *Fault {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	if errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid) {
		return New(Terminal, CredentialsRejected, "the certificate of the other side is not trusted", nil)
	}
	return nil
}

func ofNetwork(err error) *Fault {
	var network net.Error
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &network) && network.Timeout() {
		return New(Retry, Timeout, "no answer came in time", nil)
	}
	var operation *net.OpError
	var name *net.DNSError
	var broken = []error{syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.ECONNABORTED, syscall.EPIPE,
		syscall.EHOSTUNREACH, syscall.ENETUNREACH, io.ErrUnexpectedEOF, io.EOF, net.ErrClosed}
	lost := errors.As(err, &operation) || errors.As(err, &name)
	for _, one := range broken {
		lost = lost || errors.Is(err, one)
	}
	if lost {
		return New(Retry, ConnectionLost, "the connection could not be made or was lost", nil)
	}
	return nil
}
