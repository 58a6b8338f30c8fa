import type { StreamState, StreamStatus, StreamTotals } from '../kube/streamStatus.ts';
import type { WeederCounts } from '../weeder/weeder.ts';
import type { Metrics } from './metrics.ts';

/** As much of the controller as is measured when somebody asks. */
export interface MeasuredController {
  counts(): WeederCounts;
  streams(): readonly StreamStatus[];
  streamTotals(): ReadonlyMap<string, StreamTotals>;
  actorCounts(): Readonly<Record<string, number>>;
}

const machines = ['manager', 'reflector', 'endpoint', 'dependants', 'podDeletion'] as const;
const streamStates: readonly StreamState[] = ['listing', 'watching', 'backingOff'];

/** Brings up to date whatever is not counted as it happens. `controller` is undefined until there is one. */
export function measure(metrics: Metrics, controller: MeasuredController | undefined, isReady: boolean): void {
  metrics.ready.set(isReady ? 1 : 0);
  const counts = controller?.counts();
  metrics.queueLength.set(counts?.queued ?? 0);
  metrics.inFlight.set(counts?.inFlight ?? 0);
  metrics.crashLoopingPods.set(counts?.crashLoopingPods ?? 0);
  const actors = controller?.actorCounts();
  for (const machine of machines) metrics.actors.set({ machine }, actors?.[machine] ?? 0);
  if (controller === undefined) return;
  measureStreams(metrics, controller.streams());
  measureTotals(metrics, controller.streamTotals());
}

/** Of the streams of one resource, the worst counts: a label for each would grow with the namespaces. */
function measureStreams(metrics: Metrics, streams: readonly StreamStatus[]): void {
  for (const [resource, same] of Map.groupBy(streams, (stream) => stream.resource)) {
    for (const state of streamStates) {
      metrics.streams.set({ resource, state }, same.filter((stream) => stream.state === state).length);
    }
    const worst = (of: (stream: StreamStatus) => number) => same.reduce((most, each) => Math.max(most, of(each)), 0);
    metrics.streamDown.set({ resource }, worst(({ downFor }) => downFor ?? 0) / 1000);
    metrics.streamLag.set({ resource }, worst(({ quietFor }) => quietFor) / 1000);
    metrics.streamObjects.set(
      { resource },
      same.reduce((sum, { objects }) => sum + (objects ?? 0), 0),
    );
  }
}

function measureTotals(metrics: Metrics, totals: ReadonlyMap<string, StreamTotals>): void {
  metrics.streamRestarts.reset();
  metrics.streamBytes.reset();
  for (const [resource, { bytes, losses }] of totals) {
    metrics.streamBytes.inc({ resource }, bytes);
    for (const [reason, count] of Object.entries(losses)) metrics.streamRestarts.inc({ resource, reason }, count);
  }
}
