#!/usr/bin/env bash
# supervise.sh FOLDER KUBELET FLAG…: runs a node until the input of this script closes, because the process that started
# the script has ended in any way. Afterwards it removes all processes, mounts, cgroups and files of the node.
set -u
folder=$1

# Processes and mounts belong to the Linux namespaces, and end with the first process in them.
unshare --mount --pid --fork --kill-child --mount-proc bash "$(dirname "$0")/node.sh" "$@"
how=$?
[ $how -eq 0 ] || tail -n 8 "$folder"/*.log

# The cgroups of the containers that still ran; their parent only if no other process uses it.
for container in "$folder"/containerd/io.containerd.grpc.v1.cri/{sandboxes,containers}/*; do
  rmdir /sys/fs/cgroup/{,*/}k8s.io/"$(basename "$container")"
done 2>/dev/null
rmdir /sys/fs/cgroup/{,*/}k8s.io 2>/dev/null

rm -rf --one-file-system "$folder"
exit $how
