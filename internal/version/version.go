// Package version says which build this is.
package version

import "runtime/debug"

// version is set by the linker; see the Makefile.
var version string

// String returns the version that the build was given, else the revision that Go noted, else "unknown".
func String() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return s.Value[:12]
			}
		}
	}
	return "unknown"
}
