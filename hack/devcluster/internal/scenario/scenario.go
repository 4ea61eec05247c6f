// Package scenario reads a broken cluster that was written down as a folder and replays it into an API server without
// controllers, where it stays as it is. It decides in which order objects can be created and what has to be changed
// for the API server to take them; it never changes what an object says. The load command calls it.
//
// The folder holds objects.yaml, a stream of objects with their status as kubectl get -o yaml prints them, and
// logs/NAMESPACE_POD_CONTAINER.log and .previous.log.
package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Scenario is a cluster at one moment.
type Scenario struct {
	// Objects are in the order of the file.
	Objects []*unstructured.Unstructured
	// Now is the newest time that the objects and the logs name.
	Now time.Time

	logs map[string]string
}

// Read reads the scenario in the folder.
func Read(dir string) (*Scenario, error) {
	data, err := os.ReadFile(filepath.Join(dir, "objects.yaml"))
	if err != nil {
		return nil, fmt.Errorf("reading the scenario: %w", err)
	}
	s := &Scenario{logs: map[string]string{}}
	if s.Objects, err = decode(data); err != nil {
		return nil, fmt.Errorf("reading the scenario in %s: %w", dir, err)
	}
	s.see(string(data))
	files, err := filepath.Glob(filepath.Join(dir, "logs", "*.log"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		s.logs[filepath.Base(file)] = string(text)
		s.see(string(text))
	}
	return s, nil
}

// Log is the endpoint's source: a log that the folder does not hold is unknown.
func (s *Scenario) Log(pod *corev1.Pod, container string, previous bool) (string, bool) {
	name := pod.Namespace + "_" + pod.Name + "_" + container
	if previous {
		name += ".previous"
	}
	text, known := s.logs[name+".log"]
	return text, known
}

// decode reads a stream of objects; lists are taken apart.
func decode(data []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var document json.RawMessage
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(document) == 0 || string(document) == "null" {
			continue
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(document); err != nil {
			return nil, err
		}
		if !object.IsList() {
			objects = append(objects, object)
			continue
		}
		list, err := object.ToList()
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			objects = append(objects, &list.Items[i])
		}
	}
}

// timestamp is a moment as Kubernetes writes it in a field, or as most log formats write it at the start of a line.
var timestamp = regexp.MustCompile(`(?m)(?:^|\b(\w*(?:Time|Timestamp|At)): )['"]?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))`)

// future is in the names of fields that tell what is still to come.
var future = regexp.MustCompile(`^(deletion|expir|renewal|next)`)

// see moves the scenario's time to the newest one in the text.
func (s *Scenario) see(text string) {
	for _, match := range timestamp.FindAllStringSubmatch(text, -1) {
		moment, err := time.Parse(time.RFC3339Nano, strings.Replace(match[2], " ", "T", 1))
		if err == nil && moment.After(s.Now) && !future.MatchString(match[1]) {
			s.Now = moment
		}
	}
}

// key names an object within the scenario.
type key struct{ kind, namespace, name string }

func keyOf(object *unstructured.Unstructured) key {
	return key{object.GetKind(), object.GetNamespace(), object.GetName()}
}

func (k key) String() string {
	return strings.TrimPrefix(k.namespace+"/"+k.name, "/") + " (" + k.kind + ")"
}
