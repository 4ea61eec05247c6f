#!/bin/sh
# Builds the local control plane once per version of its sources and of Go, and prints the folder that holds it. The
# folder is a valid KUBEBUILDER_ASSETS. Needs Go and a POSIX shell only.
#
#   build.sh            build if need be, print the folder
#   build.sh --print    print the folder, and fail if it has not been built
set -eu

cd "$(dirname "$0")"
module=$PWD
root=${XDG_CACHE_HOME:-$HOME/.cache}/eclusier/devcluster
unset GOFLAGS
export CGO_ENABLED=0 GOWORK=off

digest() {
	if command -v sha256sum >/dev/null; then sha256sum; elif command -v shasum >/dev/null; then shasum -a 256; else cksum; fi | cut -c1-16 | tr -d ' '
}

# Tests do not change the program, so they do not change its name either.
content() {
	go env GOVERSION GOOS GOARCH
	find . -type f \( -name '*.go' -o -name '*.yaml' -o -name 'go.*' -o -name build.sh \) ! -name '*_test.go' |
		LC_ALL=C sort | while IFS= read -r file; do
		printf '%s ' "$file"
		digest <"$file"
	done
}

folder=$root/$(content | digest)
if [ -x "$folder/devcluster" ]; then
	touch "$folder"
	echo "$folder"
	exit
fi
if [ "${1:-}" = --print ]; then
	echo "the local control plane has not been built: run make test, or $module/build.sh" >&2
	exit 1
fi

mkdir -p "$root"
lock=$folder.lock
work=$folder.$$
ticker=
cleanup() {
	[ -z "$ticker" ] || kill "$ticker" 2>/dev/null || true
	rm -rf "$work"
	[ "$(cat "$lock/pid" 2>/dev/null)" != $$ ] || rm -rf "$lock"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Creating a folder is atomic everywhere. Whoever died while it held the lock has left its number behind.
until mkdir "$lock" 2>/dev/null; do
	holder=$(cat "$lock/pid" 2>/dev/null || true)
	if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; then
		rm -rf "$lock"
		continue
	fi
	[ -n "${waiting:-}" ] || echo "waiting for another build of the local control plane (process ${holder:-unknown})" >&2
	waiting=yes
	sleep 1
done
echo $$ >"$lock/pid"
if [ -x "$folder/devcluster" ]; then
	echo "$folder"
	exit
fi

version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${version#v1.}
minor=${minor%%.*}
package=k8s.io/component-base/version
flags="-s -w -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=$minor -X $package.gitTreeState=clean"

echo "building the local control plane (Kubernetes $version and etcd): about 15 minutes on 2 cores the first time, cached in $root afterwards" >&2
if [ -t 2 ]; then
	(
		seconds=0
		while sleep 5; do
			seconds=$((seconds + 5))
			printf '\r  %d min %02d s' $((seconds / 60)) $((seconds % 60)) >&2
		done
	) &
	ticker=$!
fi
start=$(date +%s)
mkdir "$work"
# Fewer collections make the cold build a third faster and keep it below 4 GB.
GOGC=400 go build -trimpath -buildvcs=false -ldflags "$flags" -o "$work/devcluster" .
for name in etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kwok; do
	ln -s devcluster "$work/$name"
done
mv "$work" "$folder"
[ -z "$ticker" ] || printf '\r' >&2
echo "built after $(($(date +%s) - start)) s" >&2

# Versions that nobody has used for a month go.
find "$root"/* -prune -type d -mtime +30 -exec rm -rf {} + 2>/dev/null || true
echo "$folder"
