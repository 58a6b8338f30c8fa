import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@weeder/kube-runtime/base';
import { serverCertificate } from '@weeder/kube-runtime/testing';
import { grant } from '../cluster/support/deploy/rbac.ts';
import type { Cluster } from '../cluster/support/plane/access.ts';
import { freePorts } from '../cluster/support/plane/ports.ts';
import { superviseWeeder } from '../cluster/support/weeder.ts';
import type { FaultyApiServer } from '../faults/support/apiServer.ts';
import { remoteControl } from '../faults/support/remoteControl.ts';
import { scraped } from '../support/api/scraped.ts';
import { bundle } from '../support/bundle.ts';
import { configFile, type Rule } from './rules.ts';

/** The weeder under test: the production bundle as a process, with the permissions of its manifests. */
export type WeederUnderTest = Awaited<ReturnType<typeof startWeederUnderTest>>;

/** The flags of `deploy/base`. */
const nodeFlags = ['--max-old-space-size=128', '--max-semi-space-size=16'];

const permissions = [
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'get', 'delete'] },
  { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];

/** Starts it as this user, connected through this server, and waits until its caches are synced. */
export async function startWeederUnderTest(
  cluster: Cluster,
  user: string,
  server: FaultyApiServer,
  rules: readonly Rule[],
) {
  await grant(cluster, user, permissions);
  const file = join(cluster.dir, 'soak-config.yaml');
  writeFileSync(file, configFile(rules));
  const [metricsPort = 0] = await freePorts(1);
  const flags = [
    `--config-file=${file}`,
    `--kubeconfig=${cluster.kubeconfigFor(user, { server: server.url, ca: serverCertificate.toString() })}`,
    '--health-bind-addr=0',
    `--metrics-bind-addr=127.0.0.1:${metricsPort}`,
  ];
  const cleanups: (() => unknown)[] = [];
  const t = { after: (cleanup: () => unknown) => void cleanups.push(cleanup) };
  const remote = remoteControl();
  const started = superviseWeeder(t, process.execPath, [
    ...nodeFlags,
    ...remote.nodeFlags,
    await bundle(),
    'run',
    ...flags,
  ]);
  try {
    await started.ready();
  } catch (error) {
    await stop();
    throw error;
  }

  async function stop(): Promise<string | undefined> {
    try {
      for (const cleanup of cleanups.splice(0)) await cleanup();
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  async function gauges() {
    const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { signal: AbortSignal.timeout(5_000) });
    const families = scraped(await response.text());
    return (name: string, labels: Readonly<Record<string, string>> = {}) =>
      (families.get(name)?.samples ?? [])
        .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
        .reduce((sum, { value }) => sum + value, 0);
  }

  return {
    process: started,
    configure(next: readonly Rule[]) {
      writeFileSync(`${file}.new`, configFile(next));
      renameSync(`${file}.new`, file);
    },
    /** Its resident memory. MiB. */
    rss: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${started.pid}/status`, 'utf8'))?.[1]) / 1024,
    /** Reads its metrics. The result sums the samples of a metric, with these labels if any are given. */
    gauges,
    /** Runs a garbage collection in it. */
    collect: () => remote.collect(started),
    /** Stops it. Returns undefined if it ran until then, logged no error and shut down cleanly, or else the error. */
    stop,
  };
}
