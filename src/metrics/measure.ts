import type { StreamState, StreamStatus } from '@weeder/kube-runtime/watch';
import type { ConfigStatus } from '../process/reload.ts';
import { snakeCase } from './labels.ts';
import type { Metrics } from './metrics.ts';

/** The part of the manager that is measured at each scrape. */
interface MeasuredManager {
  streams(): readonly StreamStatus[];
  actorCounts(): Readonly<Record<string, number>>;
  /** Whether this replica acts. */
  isLeader(): boolean;
  /** How many Events wait to be written. */
  eventsWaiting(): number;
}

/** A process, which may have had other managers before this one, and may have none yet. */
interface Measured {
  readonly manager: MeasuredManager | undefined;
  readonly isReady: boolean;
  /** The name of its Lease; empty without leader election. */
  readonly lease: string;
}

const machines = [
  'manager',
  'lease',
  'reflector',
  'endpoint',
  'dependants',
  'podDeletion',
  'podCreation',
  'receiver',
] as const;
const streamStates: readonly StreamState[] = ['listing', 'watching', 'backingOff'];

/** Updates the metrics that are not counted as events occur. */
export function measure(metrics: Metrics, { manager, isReady, lease }: Measured): void {
  metrics.ready.set(isReady ? 1 : 0);
  metrics.leader.set({ lease }, manager?.isLeader() ? 1 : 0);
  metrics.eventsWaiting.set(manager?.eventsWaiting() ?? 0);
  const actors = manager?.actorCounts();
  for (const machine of machines) metrics.actors.set({ machine: snakeCase(machine) }, actors?.[machine] ?? 0);
  measureStreams(metrics, manager?.streams() ?? []);
}

/** Of the streams of one resource the worst counts: a label for each stream would grow with the namespaces. */
function measureStreams(metrics: Metrics, streams: readonly StreamStatus[]): void {
  // A standby has no streams: those of the previous manager would otherwise appear to be down forever.
  for (const gauge of [
    metrics.streams,
    metrics.streamsRefused,
    metrics.streamDown,
    metrics.streamLag,
    metrics.streamObjects,
  ])
    gauge.reset();
  for (const [resource, same] of Map.groupBy(streams, (stream) => stream.resource)) {
    for (const state of streamStates) {
      const inState = same.filter((stream) => stream.state === state);
      metrics.streams.set({ resource, state: snakeCase(state) }, inState.length);
    }
    metrics.streamsRefused.set({ resource }, same.filter(({ isRefused }) => isRefused).length);
    const worst = (of: (stream: StreamStatus) => number) => same.reduce((max, each) => Math.max(max, of(each)), 0);
    metrics.streamDown.set({ resource }, worst(({ downFor }) => downFor ?? 0) / 1000);
    metrics.streamLag.set({ resource }, worst(({ quietFor }) => quietFor) / 1000);
    metrics.streamObjects.set(
      { resource },
      same.reduce((sum, { objects }) => sum + (objects ?? 0), 0),
    );
  }
}

/** Updates the metrics of the config in force. */
export function measureConfig(metrics: Metrics, { generation, appliedAt, lastReload }: ConfigStatus): void {
  metrics.configGeneration.set(generation);
  metrics.configLastReloadSuccessful.set(lastReload === 'applied' ? 1 : 0);
  metrics.configLastReloadTimestamp.set(appliedAt / 1000);
}
