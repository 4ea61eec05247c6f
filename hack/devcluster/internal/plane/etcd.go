package plane

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
)

// startEtcd starts a single-member store on a unix socket and returns its address once it serves.
func startEtcd(ctx context.Context, l layout) (*embed.Etcd, string, error) {
	client := url.URL{Scheme: "unix", Path: filepath.Join(l.sockets, "etcd.sock")}
	peer := url.URL{Scheme: "unix", Path: filepath.Join(l.sockets, "peer.sock")}
	config := embed.NewConfig()
	config.Dir = filepath.Join(l.state, "etcd")
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	// A local cluster is thrown away, so it need not survive a power cut.
	config.UnsafeNoFsync = true
	config.LogOutputs = []string{filepath.Join(l.logs, "etcd.log")}
	config.LogLevel = "warn"
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, "", fmt.Errorf("starting etcd: %w", err)
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, client.String(), nil
	case err := <-etcd.Err():
		etcd.Close()
		return nil, "", fmt.Errorf("starting etcd: %w", err)
	case <-ctx.Done():
		etcd.Close()
		return nil, "", ctx.Err()
	}
}
