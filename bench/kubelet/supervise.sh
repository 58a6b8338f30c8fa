#!/usr/bin/env bash
# supervise.sh FOLDER KUBELET: a node for as long as this script's input stays open, so for as long as the benchmark
# lives, however it ends. Then nothing of the node is left: no process, no mount, no cgroup, no file.
set -u
folder=$1

# Processes and mounts are the namespaces' own, and end with their first process.
unshare --mount --pid --fork --kill-child --mount-proc bash "$(dirname "$0")/node.sh" "$@"
how=$?
[ $how -eq 0 ] || tail -n 8 "$folder"/*.log

# The cgroups of the containers that ran to the end; their parent only where nobody else uses it.
for container in "$folder"/containerd/io.containerd.grpc.v1.cri/{sandboxes,containers}/*; do
  rmdir /sys/fs/cgroup/{,*/}k8s.io/"$(basename "$container")"
done 2>/dev/null
rmdir /sys/fs/cgroup/{,*/}k8s.io 2>/dev/null

rm -rf --one-file-system "$folder"
exit $how
