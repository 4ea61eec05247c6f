package diagnose

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestReload_aRefusedConfigurationIsToldOfWhatRuns(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"Prometheus":    `time=2026-03-02T11:30:00Z level=ERROR msg="Error reloading config" err="couldn't load configuration (--config.file=/etc/p/p.yml): parsing YAML file: field jobs not found in type config.plain"`,
		"Alertmanager":  `time=2026-03-02T11:30:00Z level=ERROR component=configuration msg="Loading configuration file failed, keeping the previous configuration" file=/etc/a/a.yml err="undefined receiver"`,
		"CoreDNS":       `[ERROR] Restart failed: Corefile:7 - Error during parsing: Unknown directive 'forwrd'`,
		"Envoy":         `[2026-03-02 11:30:00.000][1][warning][config] gRPC config for type.googleapis.com/envoy.config.cluster.v3.Cluster rejected: duplicate cluster`,
		"ingress-nginx": `E0302 11:30:00.000000       7 controller.go:205] Unexpected failure reloading the backend: nginx: configuration file /tmp/nginx/nginx-cfg1 test failed`,
		"PostgreSQL":    `2026-03-02 11:30:00 UTC [1] ERROR:  configuration file "/etc/postgresql/postgresql.conf" contains errors; no changes were applied`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld("app")
			_, p := w.deployment("api", nil)
			w.current(p, "api", says+"\n")
			w.check(t, expected{cause: "CrashBadConfig", object: "Deployment/app/api"}, ref("Deployment", "app", "api"))
		})
	}
}

func TestReload_namesTheConfigMap(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	w.ConfigMaps = append(w.ConfigMaps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "rules"}, Data: map[string]string{"p.yml": "global: {}\njobs: []\n"}})
	_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
		t.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "rules"}}}}}
		t.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "v", MountPath: "/etc/p"}}
	})
	w.current(p, "api", `level=ERROR msg="Error reloading config" err="parsing YAML file /etc/p/p.yml: line 2: field jobs not found"`+"\n")
	w.check(t, expected{cause: "CrashBadConfig", object: "ConfigMap/app/rules", evidence: []string{"Error reloading config", "jobs: []"}})
}

func TestReload_whatWasOvercomeOrIsNoConfigurationIsNoFault(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"a later reload went well": "level=ERROR msg=\"Error reloading config\" err=\"field jobs not found\"\nlevel=INFO msg=\"Completed loading of configuration file\"\n",
		"a cache":                  "level=ERROR msg=\"failed to reload cache of products\"\n",
		"a plain statement":        "level=INFO msg=\"will reload on SIGHUP, on error the previous configuration is kept\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld("app")
			_, p := w.deployment("api", nil)
			w.current(p, "api", says)
			if r := w.ask(t); r.Verdict != NoFaultFound {
				t.Errorf("says %s: %s", r.Verdict, r.Summary)
			}
		})
	}
}

func TestReload_namesTheConfigMapOfAProjectedVolumeByTheFileItIsMountedAs(t *testing.T) {
	t.Parallel()
	w := newWorld("app")
	w.ConfigMaps = append(w.ConfigMaps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "rules"}, Data: map[string]string{"main": "global: {}\njobs: []\n"}})
	_, p := w.deployment("api", func(t *corev1.PodTemplateSpec) {
		from := &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "rules"}, Items: []corev1.KeyToPath{{Key: "main", Path: "p.yml"}}}
		t.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{{ConfigMap: from}}}}}}
		t.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "v", MountPath: "/etc/p"}}
	})
	crashed(p, "api", 2, "Error", "")
	w.log(p, "api", `level=ERROR msg="Error loading config" err="parsing YAML file /etc/p/p.yml: yaml: unmarshal errors: line 2: field jobs not found in type config"`+"\n")
	w.check(t, expected{cause: "CrashBadConfig", object: "ConfigMap/app/rules", evidence: []string{"jobs: []"}})
}
