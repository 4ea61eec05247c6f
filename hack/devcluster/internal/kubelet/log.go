package kubelet

import corev1 "k8s.io/api/core/v1"

// AnnotatedLog gives the log that the annotations of a pod hold for a container: log, or log-failed (if there is one)
// for a run that has failed. A container of which they say nothing has an empty log.
func AnnotatedLog(pod *corev1.Pod, container string, previous bool) (string, bool) {
	p := pass{pod: pod}
	c := &corev1.Container{Name: container}
	if failed := p.setting(c, "log-failed"); failed != "" && (previous || p.failed(c)) {
		return failed, true
	}
	return p.setting(c, "log"), true
}

// failed tells whether the newest run of a container that has ended, has ended badly.
func (p *pass) failed(c *corev1.Container) bool {
	status := p.status(c)
	last := status.State.Terminated
	if status.State.Waiting != nil {
		last = status.LastTerminationState.Terminated
	}
	return last != nil && last.ExitCode != 0
}
