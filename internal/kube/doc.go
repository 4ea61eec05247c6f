// Package kube holds what every controller does with the Kubernetes API in the same way: one status patch per pass, and
// only if something changed; conditions that keep their transition times; events that carry the correlation id; and the
// way from a fault to what the work queue does next.
//
// It knows no kind and decides nothing about an object. Controllers call it; the domain does not.
package kube
