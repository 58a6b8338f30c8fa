import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import {
  setPodStatus,
  setSlice,
  superviseWeeder,
  temporaryFile,
  testNamespace,
  watchDeletions,
} from '../support/cluster.ts';
import { crashLoopBackOff } from '../support/observer/statuses.ts';
import { ownControlPlane } from '../support/plane/ownControlPlane.ts';
import { freePorts } from '../support/plane/ports.ts';
import { ownedPod } from '../support/restart/workloads.ts';

const documented = join(import.meta.dirname, '../../data/config/original.yaml');
const ConfigMap = z.object({ data: z.record(z.string(), z.string()) });

// On a separate control plane, because the original's config selects services of this name in every namespace.
test('the original’s ConfigMap and its whole command line are accepted unchanged', async (t) => {
  const ns = await testNamespace(t, 'shoot', await ownControlPlane(t));
  const { cluster } = ns;
  const name = 'dependency-watchdog-weeder-config';
  const path = ns.path('api/v1', 'configmaps');
  await cluster.api('POST', path, {
    metadata: { name },
    data: { 'dep-config.yaml': readFileSync(documented, 'utf8') },
  });
  const mounted = temporaryFile('dep-config.yaml');
  writeFileSync(mounted, ConfigMap.parse(await cluster.api('GET', `${path}/${name}`)).data['dep-config.yaml'] ?? '');
  const [metrics, health, pprof] = await freePorts(3);
  const weeder = superviseWeeder(t, process.execPath, [
    join('src', 'cli', 'weeder.ts'),
    'weeder',
    `--kubeconfig=${cluster.kubeconfigFor('admin')}`,
    `--config-file=${mounted}`,
    '--kube-api-qps=20.0',
    '--kube-api-burst=100',
    '--concurrent-reconciles=1',
    `--metrics-bind-addr=127.0.0.1:${metrics}`,
    `--health-bind-addr=127.0.0.1:${health}`,
    `--pprof-bind-addr=127.0.0.1:${pprof}`,
    '--enable-leader-election=true',
    `--leader-election-namespace=${ns.name}`,
    '--leader-elect-lease-duration=15s',
    '--leader-elect-renew-deadline=10s',
    '--leader-elect-retry-period=2s',
    '--zap-log-level=INFO',
    '--zap-encoder=json',
  ]);
  await weeder.ready();
  const observer = await watchDeletions(ns);
  const role = { 'gardener.cloud/role': 'controlplane' };
  for (const [service, labels] of [
    ['etcd-main-client', { ...role, role: 'apiserver' }],
    ['kube-apiserver', { ...role, role: 'controller-manager' }],
  ] as const) {
    await setSlice(ns, service, { ready: [false] });
    await ownedPod(ns, service, { labels });
    const pod = await setPodStatus(ns, service, crashLoopBackOff(3));
    await setSlice(ns, service, { ready: [true] });
    await observer.untilDeleted(pod.metadata.uid);
    await weeder.log.until('service recovered, window opened', { service, for: '2m0s' });
  }
  assert.equal((await fetch(`http://127.0.0.1:${health}/readyz`)).status, 200);
});
