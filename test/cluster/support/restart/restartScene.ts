import assert from 'node:assert/strict';
import { type WorkloadKind, workloadKindNames, workloadKinds } from '@weeder/kube-runtime/objects';
import type { WorkloadState } from '../../../../src/restart/content/state.ts';
import { rolloutOf } from '../../../../src/restart/pods/rollout.ts';
import type { WorkloadSummary } from '../../../../src/restart/references/workloadSummary.ts';
import { type Cleanup, forSuite } from '../cleanup.ts';
import { eventually, type Saw } from '../eventually.ts';
import { type TestNamespace, testNamespace } from '../namespace.ts';
import { KubeObject, type Pod } from '../objects.ts';
import type { Cluster } from '../plane/access.ts';
import type { Answer } from '../plane/http.ts';
import { type PodBehaviour, startRemoteKubelet } from '../plane/remoteKubelet.ts';
import { noteChanges } from '../plane/watching.ts';
import { type StartOptions, startWeeder, type WeederProcess } from '../weeder.ts';
import { specOf, type WorkloadOptions } from './workloadOptions.ts';
import { podsOf } from './workloads.ts';
import { rolloutsIn, stateOf, summaryOf, type Version, versionOf } from './workloadVersion.ts';

/** A namespace of a real cluster with a simulated kubelet, and a watch that shares no code with weeder. */
export interface RestartScene {
  readonly ns: TestNamespace;
  pathOf(kind: WorkloadKind, name?: string): string;
  /** Returns a config with this section and short durations. */
  config(section?: object): object;
  /** Starts a weeder, by default for this namespace only. */
  begin(t: Cleanup, options?: Partial<StartOptions>): WeederProcess;
  /** Starts a weeder, and resolves when its caches are synced. */
  start(t: Cleanup, options?: Partial<StartOptions>): Promise<WeederProcess>;
  /** Creates a source, or writes these values into it. */
  put(name: string, data: Readonly<Record<string, string>>, kind?: 'ConfigMap' | 'Secret'): Promise<void>;
  /** Creates a workload, and waits until its pods run, unless the options differ. */
  make(kind: WorkloadKind, name: string, request?: WorkloadOptions): Promise<void>;
  patch(kind: WorkloadKind, name: string, patch: object): Promise<Answer>;
  pods(name: string): Promise<Pod[]>;
  summary(kind: WorkloadKind, name: string): Promise<WorkloadSummary>;
  /** Returns the stored state, or undefined if there is none. */
  state(kind: WorkloadKind, name: string): Promise<WorkloadState | undefined>;
  /** Returns all versions of a workload up to the current one, as the watch delivered them. */
  versions(kind: WorkloadKind, name: string): Promise<readonly KubeObject[]>;
  /** Returns the number of changes of the pod template. */
  rollouts(kind: WorkloadKind, name: string): Promise<number>;
  /** Waits until a version of a workload that is not older than this call meets a condition. */
  until<T>(kind: WorkloadKind, name: string, what: string, meets: (seen: Version, saw: Saw) => T | false): Promise<T>;
  untilAdopted(kind: WorkloadKind, ...names: string[]): Promise<void>;
  /** Waits until this number of rollouts is complete and recorded in the state. */
  untilDone(kind: WorkloadKind, name: string, rollouts: number): Promise<void>;
}

/** On a busy machine a healthy rollout makes no progress for seconds, so only tests of stalls shorten `stallAfter`. */
const quick = { quietPeriod: '300ms', quietMax: '5s', minInterval: '0s', stallAfter: '1m', progressDeadline: '5m' };

/** Creates a scene. `start()` starts its weeder. */
export async function setRestartScene(
  t: Cleanup,
  prefix: string,
  { cluster: ofCluster, ...behaviour }: PodBehaviour & { readonly cluster?: Cluster } = {},
): Promise<RestartScene> {
  const ns = await testNamespace(t, prefix, ofCluster);
  const { cluster, name: namespace } = ns;
  const seen = new Map<string, KubeObject[]>();
  const existing = new Map<string, Version>();
  const watchKind = (kind: WorkloadKind) =>
    noteChanges(t, cluster, pathOf(kind), ({ type, object }) => {
      const key = `${kind}/${object.metadata.name}`;
      seen.set(key, [...(seen.get(key) ?? []), object]);
      if (type === 'DELETED') existing.delete(key);
      else existing.set(key, versionOf(object, kind, rolloutsIn(seen.get(key) ?? [])));
    });
  await Promise.all(workloadKindNames.map(watchKind));
  await startRemoteKubelet(t, { cluster, namespace, ...behaviour });

  function config(section: object = {}): object {
    const pace = { maxRestartsPerMinute: 1_000, burst: 1_000, maxAdoptionsPerMinute: 10_000 };
    return { restartControl: { ...quick, rules: [{}], ...pace, hashKey: { namespace }, ...section } };
  }

  function begin(test: Cleanup, { flags = [], ...options }: Partial<StartOptions> = {}): WeederProcess {
    const own = [`--namespaces=${namespace}`, '--log-level=debug'];
    return startWeeder(test, { cluster, config: config(), ...options, flags: [...own, ...flags] });
  }

  function pathOf(kind: WorkloadKind, name?: string): string {
    const { group, plural } = workloadKinds[kind];
    return ns.path(`apis/${group}/v1`, plural, name);
  }

  async function summary(kind: WorkloadKind, name: string): Promise<WorkloadSummary> {
    return summaryOf(await cluster.api('GET', pathOf(kind, name)), kind);
  }

  async function state(kind: WorkloadKind, name: string): Promise<WorkloadState | undefined> {
    return stateOf(await summary(kind, name));
  }

  async function versions(kind: WorkloadKind, name: string): Promise<readonly KubeObject[]> {
    const now = KubeObject.parse(await cluster.api('GET', pathOf(kind, name))).metadata.resourceVersion;
    return eventually(
      () => {
        const versions = seen.get(`${kind}/${name}`) ?? [];
        return versions.some(({ metadata }) => metadata.resourceVersion === now) && versions;
      },
      { what: `version ${now} of ${kind} ${name}` },
    );
  }

  async function rollouts(kind: WorkloadKind, name: string): Promise<number> {
    return rolloutsIn(await versions(kind, name));
  }

  const until: RestartScene['until'] = (kind, name, what, meets) => {
    let isCurrent = false;
    return eventually(
      async (saw) => {
        if (!isCurrent) await versions(kind, name);
        isCurrent = true;
        const version = existing.get(`${kind}/${name}`);
        return version !== undefined && meets(version, saw);
      },
      { what, every: 20 },
    );
  };

  return {
    ns,
    pathOf,
    config,
    begin,
    async start(test, options) {
      const weeder = begin(test, options);
      await weeder.log.until('caches synced, starting restart control');
      return weeder;
    },
    async put(name, data, kind = 'ConfigMap') {
      const path = ns.path('api/v1', `${kind.toLowerCase()}s`);
      const content = kind === 'Secret' ? { stringData: data } : { data };
      const answer = await cluster.send('PATCH', `${path}/${name}`, { body: content });
      if (answer.status === 404) await cluster.api('POST', path, { metadata: { name }, ...content });
      else assert.equal(answer.status, 200, JSON.stringify(answer.body));
    },
    async make(kind, name, request = {}) {
      const { labels = {}, annotations = {} } = request;
      const spec = specOf(kind, name, ns, request);
      await cluster.api('POST', pathOf(kind), { metadata: { name, labels, annotations }, spec });
      if (kind === 'CronJob' || request.isAwaited === false) return;
      // A DaemonSet without pods is complete until its controller has observed the nodes.
      if (kind === 'DaemonSet') await podsOf(ns, { workload: name }, 2);
      await until(kind, name, `the pods of ${kind} ${name}`, (version, saw) => {
        const progress = rolloutOf(version.summary);
        saw(progress);
        return progress.type === 'complete';
      });
    },
    patch: (kind, name, body) => cluster.send('PATCH', pathOf(kind, name), { body }),
    pods: (name) => podsOf(ns, { workload: name }),
    summary,
    state,
    versions,
    rollouts,
    until,
    async untilAdopted(kind, ...names) {
      for (const name of names)
        await until(kind, name, `the state of ${name}`, (version) => version.state !== undefined);
    },
    async untilDone(kind, name, count) {
      await until(kind, name, `${count} rollouts of ${name}, recorded`, (version, saw) => {
        const progress = rolloutOf(version.summary);
        saw([version.rollouts, version.state, progress]);
        const isRecorded = version.state !== undefined && version.state.target === undefined;
        return version.rollouts === count && isRecorded && progress.type === 'complete';
      });
    },
  };
}

/** Creates one scene with one weeder for all tests of the calling suite. */
export function suiteRestartScene(prefix: string, options: PodBehaviour & { readonly section?: object } = {}) {
  const { section, ...behaviour } = options;
  return forSuite(async (t) => {
    const scene = await setRestartScene(t, prefix, behaviour);
    return { scene, weeder: await scene.start(t, { config: scene.config(section) }) };
  });
}
