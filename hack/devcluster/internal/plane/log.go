package plane

import (
	"flag"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// redirectLogs sends what the Kubernetes parts log into one file, so that the terminal stays free for the person.
func redirectLogs(dir string) error {
	file, err := os.OpenFile(filepath.Join(dir, "kubernetes.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	// Deprecation warnings of the parts among themselves are of no use to the person.
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	klog.InitFlags(flags)
	klog.LogToStderr(false)
	klog.SetOutput(file)
	// Otherwise a warning is written once more for each severity below it.
	if err := flags.Set("one_output", "true"); err != nil {
		return err
	}
	// Errors go to the terminal as well unless the threshold is above them.
	return flags.Set("stderrthreshold", "FATAL")
}
