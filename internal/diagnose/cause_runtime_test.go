package diagnose

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/eclusier/eclusier/internal/cluster"
)

// Each row is what a runtime or registry says of an image that it cannot have.
func TestImages_whatRuntimesAndRegistriesSay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		says string
		want CauseID
	}{
		"CRI-O of refused credentials":     {"Requesting bearer token: invalid status code from registry 401 (Unauthorized)", "ImagePullUnauthorized"},
		"CRI-O of a right that is lacking": {"reading manifest v1: received unexpected HTTP status: 403 (Forbidden)", "ImagePullUnauthorized"},
		"Harbor":                           {"unauthorized: unauthorized to access repository: team/app, action: pull", "ImagePullUnauthorized"},
		"Quay of a robot that is gone":     {"unauthorized: Could not find robot with specified username", "ImagePullUnauthorized"},
		"ECR without credentials":          {"pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials", "ImagePullUnauthorized"},
		"ECR with an old token":            {"pull access denied, repository does not exist: Your authorization token has expired. Reauthenticate and try again.", "ImagePullUnauthorized"},
		"ECR with a role":                  {"User: arn:aws:sts::000000000000:assumed-role/x is not authorized to perform: ecr:BatchGetImage on resource", "ImagePullUnauthorized"},
		"Artifact Registry":                {`Permission "artifactregistry.repositories.downloadArtifacts" denied on resource "projects/p" (or it may not exist)`, "ImagePullUnauthorized"},
		"ACR":                              {"failed to authorize: failed to fetch anonymous token: unexpected status: 401 Unauthorized", "ImagePullUnauthorized"},
		"GitLab":                           {"denied: access forbidden", "ImagePullUnauthorized"},
		"containerd of an architecture":    {"no match for platform in manifest: not found", "ImageArchMismatch"},
		"CRI-O of an architecture":         {`choosing image instance: no image found in manifest list for architecture "arm64", variant "v8", OS "linux"`, "ImageArchMismatch"},
		"Docker of an architecture":        {"no matching manifest for linux/arm64/v8 in the manifest list entries", "ImageArchMismatch"},
		"CRI-O of a limit":                 {"invalid status code from registry 429 (Too Many Requests)", "RegistryRateLimited"},
		"CRI-O of a tag":                   {"reading manifest v9 in registry.example/app: manifest unknown", "ImageNotFound"},
		"a registry that is broken":        {"invalid status code from registry 503 (Service Unavailable)", "RegistryUnreachable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld("app")
			_, p := w.deployment("api", nil)
			waits(p, "api", "ImagePullBackOff", c.says)
			w.check(t, expected{cause: c.want, object: "Deployment/app/api", evidence: []string{c.says}})
		})
	}
}

func TestImages_aSecretThatIsThereIsShownBesideTheRefusal(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	w.Secrets = append(w.Secrets, &cluster.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "registry"}, Keys: []string{".dockerconfigjson"}})
	_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
		t.Spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "registry"}}
	})
	waits(p, "api", "ImagePullBackOff", "401 Unauthorized")
	w.check(t, expected{cause: "ImagePullUnauthorized", object: "Deployment/app/api", evidence: []string{"imagePullSecrets: registry"}})
}

// Each row is what a runtime says of a command that cannot be run, and the word of it that the message has to hold.
func TestCommands_whatRuntimesSay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ says, word string }{
		"crun under CRI-O":           {"container create failed: executable file `servd` not found in $PATH: No such file or directory", "servd"},
		"crun of a path":             {"container create failed: executable file `/srv/run` not found: No such file or directory", "/srv/run"},
		"crun without the right":     {"container create failed: open executable: Permission denied", "open executable"},
		"crun of a folder":           {"container create failed: cannot chdir to `/srv/app`: No such file or directory", "/srv/app"},
		"runc":                       {`runc create failed: unable to start container process: error during container init: exec: "servd": executable file not found in $PATH`, "servd"},
		"runc through cri-dockerd":   {`OCI runtime create failed: runc create failed: unable to start container process: exec: "servd": executable file not found in $PATH: unknown`, "servd"},
		"gVisor":                     {`starting root container: failed to find executable "servd" in $PATH`, "servd"},
		"youki":                      {"executable 'servd' for container not found", "servd"},
		"an image without a command": {"failed to generate container spec: no command specified", "no command specified"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld("app")
			_, p := w.deployment("api", nil)
			waits(p, "api", "CreateContainerError", c.says)
			w.check(t, expected{cause: "CrashBadCommand", object: "Deployment/app/api", evidence: []string{c.word}})
		})
	}
}
