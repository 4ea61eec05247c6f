// Package dump looks at a cluster through files: it implements cluster.Reader without a cluster.
//
// It reads a folder or a .tar.gz of any mixture of: YAML or JSON objects and lists as kubectl get prints them, the
// output of kubectl cluster-info dump (a folder, or the single stream), a must-gather, a Troubleshoot support bundle,
// and the project's own scenarios (objects.yaml beside logs/). What a file is shows from its content; only logs are
// recognised by their path.
//
// Nothing is written to disk, and nothing is trusted: sizes are bounded, links are not followed, values of Secrets are
// dropped while parsing. A file that cannot be read is a Gap that names it, never passed over in silence.
package dump
