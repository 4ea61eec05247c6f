# What a developer does here. `make help` lists the targets; nothing but Go, make, a POSIX shell and, for the race
# detector, a C compiler is needed. The control plane that demo, test and cluster use is built from Go modules once,
# into ~/.cache/eclusier, and takes about 15 minutes on two cores the first time.

SHELL := /bin/sh
.SHELLFLAGS := -ec
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# One setting everywhere: builds with and without -trimpath or cgo do not share the build cache.
export GOFLAGS := -trimpath -buildvcs=false
export CGO_ENABLED ?= 0

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X github.com/eclusier/eclusier/internal/version.version=$(VERSION)
# Kubernetes 1.30 to 1.35 cannot stamp who asked: config/pre-1.36 leaves the stamp out.
OVERLAY = config/$(if $(BEFORE_1_36),pre-1.36,default)
SUFFIX = $(if $(BEFORE_1_36),-pre-1.36)
# What config/manager runs unless another image is named there.
IMAGE ?= eclusier:latest
MODULES := . hack/devcluster hack/tools

# The tools are pinned in a module of their own, so that their requirements stay out of the operator's.
TOOL := go tool -modfile=$(CURDIR)/hack/tools/go.mod

# golangci-lint with the linter of Kubernetes API types built in: one build serves both.
GOLANGCI := $(TOOL) golangci-lint-kube-api-linter

# A folder with etcd, kube-apiserver and kubectl. KUBEBUILDER_ASSETS=… names one that the user has.
ASSETS = $${KUBEBUILDER_ASSETS:-$$(hack/devcluster/build.sh)}
# Your own kubectl, so that installing into a cluster of yours builds no control plane.
KUBECTL = $$(command -v kubectl || echo $(ASSETS)/kubectl)

##@ Try it

.PHONY: demo
demo: build bin/demo ## From nothing to answers and changes on screen. KUBECONFIG=… uses your cluster, KEEP=1 keeps it all up.
	bin/demo demo

.PHONY: cluster
cluster: build bin/demo ## A control plane with CRDs and policies in the foreground, until Ctrl-C.
	bin/demo cluster

.PHONY: run
run: build bin/demo ## The operator as a local process against $KUBECONFIG, as its own service account.
	bin/demo run

##@ Develop

.PHONY: help
help: ## This list.
	@awk 'BEGIN {FS = ":.*## "; printf "usage: make TARGET\n"} \
	  /^##@ / {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## bin/eclusier-operator and bin/kubectl-eclusier.
	go build -ldflags '$(LDFLAGS)' -o bin/eclusier-operator ./cmd/operator
	go build -ldflags '$(LDFLAGS)' -o bin/kubectl-eclusier ./cmd/kubectl-eclusier

.PHONY: image
image: ## The operator's container image, IMAGE=registry.example/eclusier:v0.1.0. The one target that needs docker.
	@docker info >/dev/null 2>&1 || { echo "make image needs docker and its daemon" >&2; exit 1; }
	GOOS=linux go build -ldflags '$(LDFLAGS)' -o bin/image/eclusier-operator ./cmd/operator
	docker build --tag $(IMAGE) --file Dockerfile bin/image

# Always built: go knows better than make what has changed.
.PHONY: bin/demo
bin/demo:
	go build -o bin/demo ./hack/demo

.PHONY: generate
generate: ## Deep copies of the API types.
	$(TOOL) controller-gen object paths=./api/...

.PHONY: manifests
manifests: ## CRDs and the operator's role, from the markers in the code.
	$(TOOL) controller-gen crd paths=./api/... output:crd:dir=config/crd/bases
	$(TOOL) controller-gen rbac:roleName=eclusier-operator,fileName=operator.yaml paths=./config/rbac output:rbac:dir=config/rbac

.PHONY: docs
docs: ## The reference in docs/reference, from the CRDs and the code.
	go run ./hack/docs

.PHONY: clean
clean: ## Remove what was built in this checkout (the control plane in ~/.cache/eclusier stays).
	rm -rf bin .cache

##@ Check

.PHONY: test
test: ## Every test of every module, on a real control plane. Sets up all it needs.
	assets="$(ASSETS)"; KUBEBUILDER_ASSETS="$$assets" CGO_ENABLED=1 go test -race -shuffle=on -timeout 20m ./...
	go test -C hack/devcluster -shuffle=on -timeout 20m ./...

.PHONY: verify
verify: ## Regenerate everything and fail on a diff; tidy modules; buildable manifests; vet.
	hack/verify.sh $(MODULES)

.PHONY: lint
lint: ## golangci-lint with the rules of .golangci.yml, and the conventions of Kubernetes' APIs over api/.
	$(GOLANGCI) run --allow-serial-runners ./...
	$(GOLANGCI) run --allow-serial-runners -c hack/tools/kube-api-linter.yml ./api/...
	# What needs types would load all of Kubernetes there: seven minutes and 12 GB.
	cd hack/devcluster && $(GOLANGCI) run --allow-serial-runners -c $(CURDIR)/.golangci.yml --fast-only ./...

.PHONY: bench
bench: ## Benchmarks: the engine, the classifier, and tasks from apply to answer on a real API server.
	assets="$(ASSETS)"; KUBEBUILDER_ASSETS="$$assets" go test -p 1 -run '^$$' -bench . -benchmem -timeout 60m \
	  ./internal/classify ./internal/diagnose ./internal/redact ./test/perf

##@ Install

.PHONY: install
install: ## CRDs, roles and admission policies into $KUBECONFIG, without the operator (`make run` is one).
	$(KUBECTL) apply --server-side -k hack/local/install$(SUFFIX)

.PHONY: deploy
deploy: ## The whole of config/ into $KUBECONFIG, the operator included. BEFORE_1_36=1 for Kubernetes 1.30 to 1.35.
	$(KUBECTL) apply --server-side -k $(OVERLAY)

.PHONY: undeploy
undeploy: ## Remove all of it from $KUBECONFIG, AgentTasks included.
	$(KUBECTL) delete --ignore-not-found -k $(OVERLAY)
