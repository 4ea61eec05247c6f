// Package live reads a running API server through the port of package cluster.
//
// It decides nothing about what it reads. It never writes, never reads the values of Secrets, and never reads without
// bounds: lists are paged and end at a number of objects, every request has a time-out, logs come as a tail. What could
// not be had is a Gap. The operator reads as a namespace's service account, the command line as its user; both go
// through Connect.
package live
