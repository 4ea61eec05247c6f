// Package check makes those checks of a change that need more than a look at an object: expressions over an object, and
// HTTP requests that may not go everywhere.
//
// It decides whether a check holds, never what follows. The Kubernetes pipeline calls it.
package check
