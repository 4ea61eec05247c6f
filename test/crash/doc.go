// Package crash kills the operator, as the program that people install, at every write of a change, and starts it again.
// Between the program and a real API server stands a proxy that counts what is written and strikes at the write it is told:
// instead of it, or right after it, before the program hears that it was stored.
package crash
