#!/usr/bin/env bash
# node.sh FOLDER KUBELET: containerd and a kubelet. Runs as the first process of namespaces for processes and mounts of
# its own; whichever of the three ends first, containerd, the kubelet or the input, ends the node. It is a failure
# unless the input ended, without a word.
set -eu
folder=$1 kubelet=$2

# What containerd and the kubelet write to places that no flag changes.
for place in /run /var/log /var/lib; do mount -t tmpfs tmpfs $place; done

exec 3<&0
socket=/run/containerd/containerd.sock
containerd --config="$folder/containerd.toml" >"$folder/containerd.log" 2>&1 &
containerd=$!
until [ -S $socket ] && ctr --address=$socket version >/dev/null 2>&1; do
  kill -0 $containerd 2>/dev/null
  sleep 0.05
done
ctr --address=$socket --namespace=k8s.io images import "$folder/image.tar" >"$folder/import.log" 2>&1

"$kubelet" --config="$folder/kubelet.json" --kubeconfig="$folder/kubeconfig" --root-dir="$folder/kubelet" \
  --cert-dir="$folder/certificates" --hostname-override=node >"$folder/kubelet.log" 2>&1 &
(! read -r _ <&3) &
wait -n
