import { etcdService } from '../objects.ts';

/** Has a shell and the few programs that the scripts use. */
export const defaultImage = 'busybox:1.37';
export const port = 2379;
export const readyFile = '/tmp/ready';

/** Answers for as long as it lives; whether it is asked is a matter of its pod's readiness. */
export const etcdScript = `cd /tmp && echo ok > index.html && exec httpd -f -p ${port} -h /tmp`;

const variable = `${etcdService.replaceAll('-', '_').toUpperCase()}_SERVICE_HOST`;

/**
 * Is ready as soon as it has reached etcd, and exits when it has not reached it for about 10 s, or for 5 s at its
 * start. The service's address comes from the environment: no DNS is needed. Busybox's `wget -T` crashes in some builds.
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
