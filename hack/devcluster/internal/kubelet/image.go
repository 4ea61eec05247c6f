package kubelet

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// pull is how the pulling of an image goes.
type pull struct {
	done     bool
	failures int
	failedAt time.Time
}

// pulled tells whether the image of the container is on the node, and pulls it if need be.
func (p *pass) pulled(c *corev1.Container, status *corev1.ContainerStatus, field string) bool {
	if _, err := reference.ParseNormalizedNamed(c.Image); err != nil {
		problem := fmt.Sprintf("Failed to apply default image tag %q: couldn't parse image name %q: invalid reference format", c.Image, c.Image)
		p.keepWaiting(status, "InvalidImageName", problem)
		p.sayEvery(repeat, event{corev1.EventTypeWarning, "InspectFailed", problem, field})
		p.sayEvery(repeat, event{corev1.EventTypeWarning, "Failed", "Error: InvalidImageName", field})
		return false
	}
	attempt := p.memory.pulls[c.Name]
	if attempt.done && c.ImagePullPolicy != corev1.PullAlways {
		p.say(event{corev1.EventTypeNormal, "Pulled",
			fmt.Sprintf("Container image %q already present on machine and can be accessed by the pod", c.Image), field})
		return true
	}
	p.tellMissingPullSecrets()
	problem := p.pullProblem(c)
	if problem == "" {
		p.memory.pulls[c.Name] = pull{done: true}
		p.say(event{corev1.EventTypeNormal, "Pulling", fmt.Sprintf("Pulling image %q", c.Image), field},
			event{corev1.EventTypeNormal, "Pulled", pulledText(c.Image), field})
		return true
	}
	// The message in the status follows the attempt at once, the back-off shows at the next look.
	if since := p.now.Sub(attempt.failedAt); attempt.failures > 0 && since < delay(int32(attempt.failures)) {
		if since < 2*time.Second {
			p.after(2*time.Second - since)
			return false
		}
		backing := fmt.Sprintf("Back-off pulling image %q", c.Image)
		p.keepWaiting(status, "ImagePullBackOff", backing+": ErrImagePull: "+problem)
		p.sayEvery(repeat, event{corev1.EventTypeNormal, "BackOff", backing, field})
		p.sayEvery(repeat, event{corev1.EventTypeWarning, "Failed", "Error: ImagePullBackOff", field})
		p.after(delay(int32(attempt.failures)) - since)
		return false
	}
	p.memory.pulls[c.Name] = pull{failures: attempt.failures + 1, failedAt: p.now}
	p.keepWaiting(status, "ErrImagePull", problem)
	p.say(event{corev1.EventTypeNormal, "Pulling", fmt.Sprintf("Pulling image %q", c.Image), field},
		event{corev1.EventTypeWarning, "Failed", fmt.Sprintf("Failed to pull image %q: %s", c.Image, problem), field},
		event{corev1.EventTypeWarning, "Failed", "Error: ErrImagePull", field})
	p.after(2 * time.Second)
	return false
}

// tellMissingPullSecrets warns of image pull secrets that do not exist, which alone is no failure.
func (p *pass) tellMissingPullSecrets() {
	var missing []string
	for _, s := range p.pod.Spec.ImagePullSecrets {
		if p.world.secret(types.NamespacedName{Namespace: p.pod.Namespace, Name: s.Name}) == nil {
			missing = append(missing, s.Name)
		}
	}
	if len(missing) > 0 {
		p.sayEvery(repeat, event{corev1.EventTypeWarning, "FailedToRetrieveImagePullSecret", fmt.Sprintf(
			"Unable to retrieve some image pull secrets (%s); attempting to pull the image may not succeed.",
			strings.Join(missing, ", ")), ""})
	}
}

// pullProblem is what the container runtime says about the image, empty if it can be pulled.
func (p *pass) pullProblem(c *corev1.Container) string {
	named, _ := reference.ParseNormalizedNamed(c.Image)
	named = reference.TagNameOnly(named)
	host, path := reference.Domain(named), reference.Path(named)
	prefix := fmt.Sprintf("failed to pull and unpack image %q: ", named)
	resolve := fmt.Sprintf("failed to resolve reference %q: ", named)
	play := p.setting(c, "play")
	if exist := p.list(c, "images"); exist != nil && !slices.Contains(exist, c.Image) {
		play = "ImageNotFound"
	}
	if p.setting(c, "needs-pull-secret") != "" && !p.hasPullSecret() {
		play = "ImageUnauthorized"
	}
	switch play {
	case "ImageNotFound":
		return fmt.Sprintf("rpc error: code = NotFound desc = %s%s%s: not found", prefix, resolve, named)
	case "ImageUnauthorized":
		if host == "docker.io" {
			return prefix + resolve + "pull access denied, repository does not exist or may require authorization: " +
				"server message: insufficient_scope: authorization failed"
		}
		return fmt.Sprintf("%s%sfailed to authorize: failed to fetch anonymous token: unexpected status from GET request to "+
			"https://%s/token?scope=%s&service=%s: 401 Unauthorized",
			prefix, resolve, host, url.QueryEscape("repository:"+path+":pull"), host)
	case "ImageWrongArchitecture":
		return fmt.Sprintf("rpc error: code = NotFound desc = %sno match for platform in manifest: not found", prefix)
	case "RegistryUnreachable":
		return fmt.Sprintf("%s%sfailed to do request: Head \"https://%s/v2/%s/manifests/%s\": dial tcp: lookup %s on 10.96.0.10:53: no such host",
			prefix, resolve, host, path, version(named), host)
	}
	return ""
}

func (p *pass) hasPullSecret() bool {
	return slices.ContainsFunc(p.pod.Spec.ImagePullSecrets, func(s corev1.LocalObjectReference) bool {
		return p.world.secret(types.NamespacedName{Namespace: p.pod.Namespace, Name: s.Name}) != nil
	})
}

func version(named reference.Named) string {
	switch v := named.(type) {
	case reference.Digested:
		return v.Digest().String()
	case reference.Tagged:
		return v.Tag()
	}
	return "latest"
}

// pulledText invents a duration and a size that are always the same for an image.
func pulledText(image string) string {
	seed := sha256.Sum256([]byte(image))
	took := time.Duration(300+10*int(seed[0])) * time.Millisecond
	size := 20_000_000 + 1_000_003*int(seed[1])
	return fmt.Sprintf("Successfully pulled image %q in %v (%v including waiting). Image size: %d bytes.", image, took, took, size)
}

func imageID(image string) string {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s@sha256:%x", reference.TrimNamed(named), sha256.Sum256([]byte(image)))
}
