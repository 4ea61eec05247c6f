package plane

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/kwok/pkg/apis/internalversion"
	"sigs.k8s.io/kwok/pkg/config"
	"sigs.k8s.io/kwok/pkg/kwok/controllers"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
	kwokclient "sigs.k8s.io/kwok/pkg/utils/client"
)

// builtinStages play the nodes and the volumes.
//
//go:embed stages/*.yaml
var builtinStages embed.FS

// runNodes lets KWOK play its stages and renew the leases of the nodes until the context ends.
func runNodes(ctx context.Context, kubeconfig, logs, extra string) error {
	stages, err := loadStages(extra)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(logs, "kwok.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	ctx = kwoklog.NewContext(ctx, kwoklog.NewLogger(file, kwoklog.LevelInfo))
	settings, err := kwokSettings(kubeconfig)
	if err != nil {
		return fmt.Errorf("configuring KWOK: %w", err)
	}
	settings.LocalStages = stages
	controller, err := controllers.NewController(settings)
	if err != nil {
		return fmt.Errorf("configuring KWOK: %w", err)
	}
	if err := controller.Start(ctx); err != nil {
		return fmt.Errorf("starting KWOK: %w", err)
	}
	<-ctx.Done()
	return nil
}

func kwokSettings(kubeconfig string) (controllers.Config, error) {
	set, err := kwokclient.NewClientset("", kubeconfig)
	if err != nil {
		return controllers.Config{}, err
	}
	restConfig, err := set.ToRESTConfig()
	if err != nil {
		return controllers.Config{}, err
	}
	restClient, err := rest.RESTClientFor(restConfig)
	if err != nil {
		return controllers.Config{}, err
	}
	typed, err := kubernetes.NewForConfig(restConfig)
	if err != nil {
		return controllers.Config{}, err
	}
	dynamic, err := set.ToDynamicClient()
	if err != nil {
		return controllers.Config{}, err
	}
	mapper, err := set.ToRESTMapper()
	if err != nil {
		return controllers.Config{}, err
	}
	id, err := controllers.Identity()
	return controllers.Config{
		Clock:                      clock.RealClock{},
		DynamicClient:              dynamic,
		RESTClient:                 restClient,
		RESTMapper:                 mapper,
		TypedClient:                typed,
		ImpersonatingDynamicClient: set.ToImpersonatingDynamicClient(),
		ImpersonatingTypedClient:   set.ToImpersonatingTypedClient(),
		ManageAllNodes:             true,
		CIDR:                       "10.244.0.0/16",
		NodeLeaseDurationSeconds:   40,
		NodeLeaseParallelism:       2,
		NodePlayStageParallelism:   2,
		PodPlayStageParallelism:    2,
		PodsOnNodeSyncParallelism:  2,
		ID:                         id,
	}, err
}

// loadStages reads the stages of this package and those of the folder extra, by the kind they are about.
func loadStages(extra string) (map[internalversion.StageResourceRef][]*internalversion.Stage, error) {
	stages := map[internalversion.StageResourceRef][]*internalversion.Stage{}
	sources := []fs.FS{builtinStages}
	if extra != "" {
		sources = append(sources, os.DirFS(extra))
	}
	for _, source := range sources {
		err := fs.WalkDir(source, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".yaml") {
				return err
			}
			data, err := fs.ReadFile(source, path)
			if err != nil {
				return err
			}
			for document := range bytes.SplitSeq(data, []byte("\n---\n")) {
				stage, err := config.UnmarshalWithType[*internalversion.Stage](document)
				if err != nil {
					return fmt.Errorf("reading the stages in %s: %w", path, err)
				}
				stages[stage.Spec.ResourceRef] = append(stages[stage.Spec.ResourceRef], stage)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return stages, nil
}
