#!/usr/bin/env bash
# supervise.sh FOLDER CGROUP KUBELET: a node for as long as this script's input stays open, so for as long as the
# benchmark lives, however it ends. Then nothing of the node is left: no process, no mount, no cgroup, no file.
set -u
folder=$1 cgroup=$2

# Processes and mounts are the namespaces' own, and end with their first process.
unshare --mount --pid --fork --kill-child --mount-proc bash "$(dirname "$0")/node.sh" "$@"
how=$?

find /sys/fs/cgroup -depth -type d -path "*/$cgroup*" -exec rmdir {} \; 2>/dev/null
rm -rf --one-file-system "$folder"
exit $how
