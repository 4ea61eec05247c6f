package plane

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-base/version"
)

const (
	// Provisioner names the storage classes whose claims are given a volume at once.
	Provisioner = "devcluster.eclusier.io/volume"
	kubeletPort = 10250
)

// furnish creates what a cluster has before anyone uses it: nodes and a default storage class. What is there already
// (in a folder that was kept) stays.
func furnish(ctx context.Context, client kubernetes.Interface, nodes int) error {
	class := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{
			Name:        "standard",
			Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"},
		},
		Provisioner: Provisioner,
	}
	_, err := client.StorageV1().StorageClasses().Create(ctx, class, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the storage class: %w", err)
	}
	for i := 1; i <= nodes; i++ {
		if err := createNode(ctx, client, i); err != nil {
			return err
		}
	}
	return awaitFurnished(ctx, client)
}

// awaitFurnished waits until pods can be created and find a place.
func awaitFurnished(ctx context.Context, client kubernetes.Interface) error {
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		return !slices.ContainsFunc(nodes.Items, func(node corev1.Node) bool { return len(node.Spec.Taints) > 0 }), nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the nodes: %w", err)
	}
	return nil
}

func createNode(ctx context.Context, client kubernetes.Interface, number int) error {
	node := newNode(number)
	status, err := json.Marshal(map[string]any{"status": node.Status})
	if err != nil {
		return err
	}
	nodes := client.CoreV1().Nodes()
	_, err = nodes.Create(ctx, node, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("creating a node: %w", err)
	}
	// KWOK and the node controller write to the node from now on as well.
	if _, err := nodes.Patch(ctx, node.Name, types.StrategicMergePatchType, status, metav1.PatchOptions{}, "status"); err != nil {
		return fmt.Errorf("writing the status of a node: %w", err)
	}
	return nil
}

// newNode describes a small cloud machine; the numbers go round three zones.
func newNode(number int) *corev1.Node {
	name := fmt.Sprintf("worker-%d", number)
	zone := "zone-" + string(rune('a'+(number-1)%3))
	podCIDR := fmt.Sprintf("10.244.%d.0/24", number)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name,
			Labels: map[string]string{
				corev1.LabelHostname:             name,
				corev1.LabelArchStable:           "amd64",
				corev1.LabelOSStable:             "linux",
				corev1.LabelTopologyZone:         zone,
				corev1.LabelTopologyRegion:       "local",
				corev1.LabelInstanceTypeStable:   "standard-4",
				"node-role.kubernetes.io/worker": "",
			},
		},
		Spec: corev1.NodeSpec{PodCIDR: podCIDR, PodCIDRs: []string{podCIDR}},
		Status: corev1.NodeStatus{
			Capacity:    resources("4", "16384256Ki", "101430960Ki"),
			Allocatable: resources("3920m", "15335680Ki", "93478772582"),
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("10.20.%d.%d", number/200, 10+number%200)},
				{Type: corev1.NodeHostName, Address: name},
			},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: kubeletPort}},
			NodeInfo: corev1.NodeSystemInfo{
				Architecture: "amd64", OperatingSystem: "linux", OSImage: "Debian GNU/Linux 13 (trixie)",
				KernelVersion: "6.12.41", ContainerRuntimeVersion: "containerd://2.2.1",
				KubeletVersion: version.Get().GitVersion,
			},
		},
	}
}

func resources(cpu, memory, storage string) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse(cpu),
		corev1.ResourceMemory:           resource.MustParse(memory),
		corev1.ResourceEphemeralStorage: resource.MustParse(storage),
		corev1.ResourcePods:             resource.MustParse("110"),
	}
}
