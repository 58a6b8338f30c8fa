import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/base/errors.ts';
import { grant } from '../cluster/support/deploy/rbac.ts';
import type { Cluster } from '../cluster/support/plane/access.ts';
import { freePorts } from '../cluster/support/plane/ports.ts';
import { superviseWeeder, type WeederProcess } from '../cluster/support/weeder.ts';
import type { FaultyApiServer } from '../faults/support/apiServer.ts';
import { handInWeeder } from '../faults/support/hand.ts';
import { serverCertificate } from '../support/api/faultyServer.ts';
import { scraped } from '../support/api/scraped.ts';
import { bundle } from '../support/bundle.ts';
import { configFile, type Rule } from './rules.ts';

/** The weeder that is put to the test: the production bundle as a process, with the permissions that it is shipped with. */
export interface Patient {
  readonly process: WeederProcess;
  configure(rules: readonly Rule[]): void;
  /** Collects its garbage. */
  collect(): Promise<void>;
  /** Its resident memory, as Linux counts it. MiB. */
  rss(): number;
  /** The sum of a metric's samples, with these labels where any are given. */
  gauges(): Promise<(name: string, labels?: Readonly<Record<string, string>>) => number>;
  /** Ends it: undefined when it had lived until then, logged no error, and stopped in good order; or what was wrong. */
  stop(): Promise<string | undefined>;
}

/** As `deploy/base` starts it. */
const nodeFlags = ['--max-old-space-size=128', '--max-semi-space-size=16'];

const permissions = [
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'get', 'delete'] },
  { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];

/** Starts it as this user, on the way over this server, and waits until it sees the cluster. */
export async function startPatient(
  cluster: Cluster,
  user: string,
  server: FaultyApiServer,
  rules: readonly Rule[],
): Promise<Patient> {
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
  const hand = handInWeeder();
  const started = superviseWeeder(t, process.execPath, [
    ...nodeFlags,
    ...hand.nodeFlags,
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
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { signal: AbortSignal.timeout(5_000) });
    const families = scraped(await answer.text());
    return (name: string, labels: Readonly<Record<string, string>> = {}) =>
      (families.get(name)?.samples ?? [])
        .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
        .reduce((sum, { value }) => sum + value, 0);
  }

  return {
    process: started,
    configure(its) {
      writeFileSync(`${file}.new`, configFile(its));
      renameSync(`${file}.new`, file);
    },
    rss: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${started.pid}/status`, 'utf8'))?.[1]) / 1024,
    gauges,
    collect: () => hand.collect(started),
    stop,
  };
}
