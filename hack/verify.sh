#!/bin/sh
# Regenerates everything and fails on a difference; checks that modules are tidy, that manifests build, and that vet
# is content. Arguments: the folders of the Go modules. It leaves the regenerated files in place.
set -eu
cd "$(dirname "$0")/.."

failed=0
fail() {
  echo "verify: $1" >&2
  failed=1
}

# What `make generate manifests docs` writes.
generated="api config docs/reference"
before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
for path in $generated; do
  mkdir -p "$before/$path"
  cp -R "$path/." "$before/$path/"
done
make --no-print-directory generate manifests docs
for path in $generated; do
  diff -ru "$before/$path" "$path" || fail "$path was out of date: commit what \`make generate manifests docs\` wrote"
done

for module in "$@"; do
  go -C "$module" mod tidy -diff || fail "$module: run \`go -C $module mod tidy\`"
done

kubectl="${KUBEBUILDER_ASSETS:-$(hack/devcluster/build.sh)}/kubectl"
find config hack -name kustomization.yaml | sort | while read -r file; do
  "$kubectl" kustomize "$(dirname "$file")" >/dev/null || { echo "verify: $file does not build" >&2; exit 1; }
done || failed=1

unformatted=$(gofmt -l api cmd config controllers hack internal test)
[ -z "$unformatted" ] || fail "gofmt would change: $unformatted"
go vet ./... || fail "go vet ./..."
go -C hack/devcluster vet ./... || fail "go vet in hack/devcluster"

[ "$failed" -eq 0 ] || exit 1
echo "verify: everything is generated, tidy and buildable"
