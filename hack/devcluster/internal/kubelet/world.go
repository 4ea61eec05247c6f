package kubelet

import (
	"fmt"
	"net/netip"
	"sync"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"
)

// world is what a kubelet looks up while it works on a pod.
type world interface {
	// configMap returns nil if there is none.
	configMap(name types.NamespacedName) *corev1.ConfigMap
	// secret returns nil if there is none.
	secret(name types.NamespacedName) *corev1.Secret
	// serves tells whether the service has a ready endpoint.
	serves(service types.NamespacedName) bool
	// address gives a pod of the node an address that no other pod has.
	address(node *corev1.Node, pod types.UID) string
}

// cluster is the world as the API server shows it.
type cluster struct {
	pods       corelisters.PodLister
	nodes      corelisters.NodeLister
	configMaps corelisters.ConfigMapLister
	secrets    corelisters.SecretLister
	slices     discoverylisters.EndpointSliceLister

	mu    sync.Mutex
	given map[string]types.UID
}

func newCluster(factory informers.SharedInformerFactory) *cluster {
	core := factory.Core().V1()
	return &cluster{
		pods: core.Pods().Lister(), nodes: core.Nodes().Lister(),
		configMaps: core.ConfigMaps().Lister(), secrets: core.Secrets().Lister(),
		slices: factory.Discovery().V1().EndpointSlices().Lister(),
		given:  map[string]types.UID{},
	}
}

func (c *cluster) node(name string) *corev1.Node {
	node, err := c.nodes.Get(name)
	if err != nil {
		return nil
	}
	return node
}

func (c *cluster) configMap(name types.NamespacedName) *corev1.ConfigMap {
	configMap, err := c.configMaps.ConfigMaps(name.Namespace).Get(name.Name)
	if err != nil {
		return nil
	}
	return configMap
}

func (c *cluster) secret(name types.NamespacedName) *corev1.Secret {
	secret, err := c.secrets.Secrets(name.Namespace).Get(name.Name)
	if err != nil {
		return nil
	}
	return secret
}

func (c *cluster) serves(service types.NamespacedName) bool {
	slices, err := c.slices.EndpointSlices(service.Namespace).List(
		labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: service.Name}))
	if err != nil {
		return false
	}
	for _, slice := range slices {
		for _, endpoint := range slice.Endpoints {
			if endpoint.Conditions.Ready == nil || *endpoint.Conditions.Ready {
				return true
			}
		}
	}
	return false
}

// address remembers what it gave to whom, because the cache of pods lags behind, and takes an address back once the
// pod that had it is gone.
func (c *cluster) address(node *corev1.Node, pod types.UID) string {
	network, err := netip.ParsePrefix(node.Spec.PodCIDR)
	if err != nil {
		network = netip.MustParsePrefix("10.244.0.0/24")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	alive := map[types.UID]bool{}
	taken := map[string]bool{}
	pods, err := c.pods.List(labels.Everything())
	if err != nil {
		return ""
	}
	for _, other := range pods {
		alive[other.UID] = true
		taken[other.Status.PodIP] = true
	}
	// The first two addresses are the network's and the gateway's.
	for ip := network.Addr().Next().Next(); network.Contains(ip); ip = ip.Next() {
		text := fmt.Sprint(ip)
		if owner, given := c.given[text]; !taken[text] && (!given || owner == pod || !alive[owner]) {
			c.given[text] = pod
			return text
		}
	}
	return ""
}
