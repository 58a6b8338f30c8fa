import { etcdService } from '../objects.ts';

/** Has a shell and the programs that the scripts use. */
export const defaultImage = 'busybox:1.37';
export const port = 2379;
export const readyFile = '/tmp/ready';

/** Always responds; the readiness of its pod determines whether it receives requests. */
export const etcdScript = `cd /tmp && echo ok > index.html && exec httpd -f -p ${port} -h /tmp`;

const variable = `${etcdService.replaceAll('-', '_').toUpperCase()}_SERVICE_HOST`;

/**
 * Becomes ready when it has reached etcd, and exits when it has not reached etcd for about 10 s, or 5 s at its start.
 * The address of the service is an environment variable, so no DNS is needed. `wget -T` of some Busybox builds crashes.
 */
export const dependantScript = `host=$${variable}
case $host in *:*) host="[$host]" ;; esac
reached() { timeout 1 wget -q -O /dev/null "http://$host:${port}/"; }
tries=0
until reached; do
  tries=$((tries + 1))
  [ "$tries" -lt 5 ] || exit 1
  sleep 1
done
touch ${readyFile}
missed=0
while [ "$missed" -lt 10 ]; do
  sleep 1
  if reached; then missed=0; else missed=$((missed + 1)); fi
done
exit 1`;
