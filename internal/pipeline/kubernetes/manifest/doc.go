// Package manifest compares Kubernetes objects as people do: without what the API server and controllers write by
// themselves.
//
// It holds the normal form of an object and its hash, the difference of two objects for people to read, the patch that
// leads back from one to the other, and the form in which an object can be created again. It is pure: it reads no cluster
// and changes no object that it is given.
package manifest
