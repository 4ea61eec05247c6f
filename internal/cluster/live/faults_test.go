package live_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/eclusier/eclusier/internal/cluster"
	"github.com/eclusier/eclusier/internal/cluster/live"
	"github.com/eclusier/eclusier/internal/fault"
)

// serve is an API server that serves namespaces, pods and logs as the test says, and has never heard of anything else.
func serve(t *testing.T, answer http.HandlerFunc) *live.Reader {
	t.Helper()
	return readerOf(t, start(t, answer), time.Minute)
}

// start starts that server and returns where it is.
func start(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api":
			reply(w, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
		case "/apis":
			reply(w, metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}})
		case "/api/v1":
			reply(w, metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "v1",
				APIResources: []metav1.APIResource{{Name: "pods", SingularName: "pod", Kind: "Pod", Namespaced: true, Verbs: metav1.Verbs{"get", "list"}}}})
		default:
			answer(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func readerOf(t *testing.T, host string, patience time.Duration) *live.Reader {
	t.Helper()
	connection, err := live.Connect(&rest.Config{Host: host}, live.Options{RequestTimeout: patience, PageSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, err := connection.Reader()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func reply(w http.ResponseWriter, object any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object)
}

func refuse(w http.ResponseWriter, code int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Code: int32(code)})
}

var podsOnNode = cluster.Want{What: cluster.WantPodsOnNode, Name: "node-1"}

func TestReader_Read_unreachable(t *testing.T) {
	tests := []struct {
		name     string
		patience time.Duration
		answer   http.HandlerFunc
		reason   string
	}{
		{"a server that hangs", 300 * time.Millisecond, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, fault.Timeout},
		{"a server that is broken", time.Minute, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 503) }, fault.Unavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &cluster.Snapshot{}
			r := readerOf(t, start(t, tt.answer), tt.patience)
			err := r.Read(t.Context(), s, []cluster.Want{podsOnNode})
			if f := fault.Of(err); f == nil || f.Fate != fault.Retry || f.Reason != tt.reason {
				t.Errorf("got %v, want %s", err, tt.reason)
			}
			if len(s.Read)+len(s.Gaps) != 0 {
				t.Errorf("nothing was read, and the snapshot says otherwise: %v %v", s.Read, s.Gaps)
			}
		})
	}
	t.Run("nobody listens", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		server.Close()
		r := readerOf(t, server.URL, time.Minute)
		if err := r.Read(t.Context(), &cluster.Snapshot{}, []cluster.Want{podsOnNode}); !fault.Is(err, fault.ConnectionLost) {
			t.Errorf("got %v", err)
		}
		if _, err := r.Find(t.Context(), cluster.Query{Name: "web"}); !fault.Is(err, fault.ConnectionLost) {
			t.Errorf("Find: got %v", err)
		}
	})
}

func TestReader_Read_listThatBreaksOff(t *testing.T) {
	for code, name := range map[int]string{410: "the token expired", 503: "the server went away"} {
		t.Run(name, func(t *testing.T) {
			var pages atomic.Int32
			r := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				n := pages.Add(1)
				if n > 2 {
					refuse(w, code)
					return
				}
				reply(w, corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, ListMeta: metav1.ListMeta{Continue: "more"},
					Items: []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprint("web-", n)}}}})
			})
			s := &cluster.Snapshot{}
			if err := r.Read(t.Context(), s, []cluster.Want{podsOnNode}); err != nil {
				t.Fatal(err)
			}
			if len(s.Pods) != 2 || len(s.Gaps) != 1 || s.Gaps[0].Reason != cluster.GapTruncated {
				t.Errorf("%d pods, gaps %v", len(s.Pods), s.Gaps)
			}
		})
	}
}

func TestReader_Read_log(t *testing.T) {
	line := strings.Repeat("x", 999) + "\n"
	tests := []struct {
		name      string
		answer    http.HandlerFunc
		want      string
		truncated bool
		gap       cluster.GapReason
	}{
		{name: "a short log comes whole", answer: text("one\ntwo\n"), want: "one\ntwo\n"},
		{name: "a log of many lines is a tail", answer: text(strings.Repeat("short\n", cluster.TailLines)),
			want: strings.Repeat("short\n", cluster.TailLines), truncated: true},
		{name: "long lines are cut from the beginning, at a line's end", answer: text(strings.Repeat(line, 100) + "last\n"),
			want: strings.Repeat(line, 65) + "last\n", truncated: true},
		{name: "one endless line keeps its end", answer: text(strings.Repeat("y", 100<<10) + "end"),
			want: strings.Repeat("y", cluster.TailBytes-3) + "end", truncated: true},
		{name: "a log that never ran", answer: code(400), gap: cluster.GapNotFound},
		{name: "a pod that is gone", answer: code(404), gap: cluster.GapNotFound},
		{name: "a log that may not be read", answer: code(403), gap: cluster.GapForbidden},
		{name: "a node that is away is a gap, not a fault", answer: code(502), gap: cluster.GapUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := serve(t, func(w http.ResponseWriter, r *http.Request) {
				query := r.URL.Query()
				if r.URL.Path != "/api/v1/namespaces/shop/pods/web/log" || query.Get("container") != "main" || query.Get("previous") != "true" || query.Get("limitBytes") == "" {
					t.Errorf("asked for %s", r.URL)
				}
				tt.answer(w, r)
			})
			s := &cluster.Snapshot{}
			want := cluster.Want{What: cluster.WantLog, Namespace: "shop", Name: "web", Container: "main", Previous: true}
			if err := r.Read(t.Context(), s, []cluster.Want{want}); err != nil {
				t.Fatal(err)
			}
			if tt.gap != "" {
				if len(s.Gaps) != 1 || s.Gaps[0].Reason != tt.gap || len(s.Logs) != 0 {
					t.Errorf("gaps %v, want %s", s.Gaps, tt.gap)
				}
				if tt.gap == cluster.GapUnavailable && strings.Contains(s.Gaps[0].Detail, "/") {
					t.Errorf("the gap tells of addresses: %s", s.Gaps[0].Detail)
				}
				return
			}
			if len(s.Logs) != 1 || s.Logs[0].Text != tt.want || s.Logs[0].Truncated != tt.truncated || !s.Logs[0].Previous {
				t.Errorf("got %d logs, gaps %v; want %d bytes, truncated %t", len(s.Logs), s.Gaps, len(tt.want), tt.truncated)
			}
		})
	}
}

// TestReader_Read_endOfAHugeLog: the API server cuts a log behind a number of bytes, which loses its end.
func TestReader_Read_endOfAHugeLog(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("tailLines") == fmt.Sprint(cluster.TailLines) {
			text(strings.Repeat("z", 2<<20))(w, r)
			return
		}
		text("the end\n")(w, r)
	})
	s := &cluster.Snapshot{}
	if err := r.Read(t.Context(), s, []cluster.Want{{What: cluster.WantLog, Namespace: "shop", Name: "web"}}); err != nil {
		t.Fatal(err)
	}
	if len(s.Logs) != 1 || s.Logs[0].Text != "the end\n" || !s.Logs[0].Truncated {
		t.Errorf("got %v", s.Logs)
	}
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(s)) }
}

func code(c int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { refuse(w, c) }
}
