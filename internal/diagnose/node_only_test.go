package diagnose

import (
	"testing"
)

// failsOnNode makes a DaemonSet whose pod on node-b cannot have its image.
func failsOnNode() *world {
	w := newWorld("app")
	fresh := w.agent()
	fresh.Spec.NodeName = "node-b"
	waits(fresh, "agent", "ImagePullBackOff", "no match for platform in manifest: not found")
	return w
}

func TestNode_whatFailsOnlyThereAnswersAQuestionAboutIt(t *testing.T) {
	t.Parallel()
	failsOnNode().check(t, expected{cause: "ImageArchMismatch", object: "DaemonSet/app/agent"}, ref("Node", "", "node-b"))
}

func TestNode_whatFailsElsewhereTooIsApartFromIt(t *testing.T) {
	t.Parallel()
	w := failsOnNode()
	waits(w.Pods[0], "agent", "ImagePullBackOff", "no match for platform in manifest: not found")
	r := w.ask(t, ref("Node", "", "node-b"))
	if len(r.RootCauses) > 0 {
		t.Errorf("blames %s for the node", r.RootCauses[0].ID)
	}
	if len(r.Independent) != 1 {
		t.Errorf("does not tell of the fault apart: %+v", r.Independent)
	}
}
