#!/usr/bin/env bash
# node.sh FOLDER KUBELET FLAG…: containerd and a kubelet. Runs as the first process of its own namespaces for processes and
# mounts. The node stops when containerd, the kubelet or the input ends. It fails unless the input ended first, without
# any text.
set -eu
folder=$1 kubelet=$2
shift 2

# Folders of containerd and the kubelet that no flag changes.
for place in /run /var/log /var/lib; do mount -t tmpfs tmpfs $place; done

exec 3<&0
socket=$folder/containerd.sock
containerd --config="$folder/containerd.toml" >"$folder/containerd.log" 2>&1 &
containerd=$!
until [ -S "$socket" ] && ctr --address="$socket" version >/dev/null 2>&1; do
  kill -0 $containerd 2>/dev/null
  sleep 0.05
done
for image in "$folder"/*.tar; do
  ctr --address="$socket" --namespace=k8s.io images import "$image"
done >"$folder/import.log" 2>&1

"$kubelet" --config="$folder/kubelet.json" --kubeconfig="$folder/kubeconfig" --root-dir="$folder/kubelet" \
  --cert-dir="$folder/certificates" --hostname-override=node "$@" >"$folder/kubelet.log" 2>&1 &
(! read -r _ <&3) &
wait -n
