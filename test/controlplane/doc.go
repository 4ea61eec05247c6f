// Package controlplane gives tests a real API server to tell their stories on: a frozen one in seconds (Run), a whole
// cluster with scheduler and controllers (Live), or a broken cluster that was written down (Load). It decides how
// these are found, started and stopped; what is installed on them is the test's part.
//
// The programs are those of KUBEBUILDER_ASSETS or, without it, what hack/devcluster/build.sh has built. A test without
// them fails: it is never skipped.
package controlplane
