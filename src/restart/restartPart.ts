import type { ControllerPart, PartContext } from '../controllerPart.ts';
import type { ReportRestart } from './facts.ts';
import { followKeys } from './followKeys.ts';
import { logRestarts } from './logRestarts.ts';
import { type ReportRead, restartApi } from './restartApi.ts';
import { createRestartControl, type RestartControl } from './restartControl.ts';
import { tellRestarts } from './restartEvents.ts';
import { createRestartStreams } from './restartStreams.ts';
import { withoutSecrets } from './sourceMeta.ts';

export interface RestartPartOptions extends PartContext {
  /** Where the Secret with the hash key is, unless the config says so. */
  readonly ownNamespace: string;
  /** Told of every fact, beside the log and the Events. */
  readonly report?: ReportRestart | undefined;
  readonly onRead?: ReportRead | undefined;
}

/** Restart control as one of the controllers of the process. */
export interface RestartPart extends ControllerPart {
  /** Undefined: the config has no section `restartControl`, and never had. */
  control(): RestartControl | undefined;
}

/** Restart control with its streams, its hash key, its log and its Events. Without its section it does nothing. */
export function createRestartPart(options: RestartPartOptions): RestartPart {
  const { runtime, client, logger, isDryRun, ownNamespace } = options;
  const { clock } = runtime;
  const log = logRestarts(logger);
  const tell = tellRestarts(options.recordEvent);
  const report: ReportRestart = (fact) => {
    log(fact);
    tell(fact);
    options.report?.(fact);
  };
  let { config } = options;
  let control: RestartControl | undefined;
  let mayStart = false;
  let stopKeys: (() => void) | undefined;

  function controlled(): RestartControl {
    if (control !== undefined) return control;
    if (config.restart === undefined) throw new Error('restart control has a stream without having a config');
    control = createRestartControl({
      config: config.restart,
      runtime,
      api: restartApi(client, options.onRead),
      report,
      isDryRun,
      namespaces: options.namespaces,
      random: Math.random,
      hasRead: (source) => streams.hasRead(source),
      onUsed: (sources) => streams.use(sources),
    });
    return control;
  }

  const streams = createRestartStreams({
    config,
    namespaces: options.namespaces,
    shard: options.shard,
    sinks: {
      workloads: (kind) => controlled().createWorkloadSink(kind),
      sources: (kind) => controlled().createSourceSink(kind),
    },
    reduceSource: withoutSecrets,
    onChanged: options.onStreamsChanged,
    onClosed: options.onStreamClosed,
    onSynced: startIfComplete,
    onSourceRead: (source) => control?.sourceRead(source),
  });

  /** What has not been read yet must not be taken for absent. */
  function startIfComplete(): void {
    if (!mayStart || control === undefined || !streams.isSynced) return;
    if (stopKeys !== undefined) {
      control.tellAll();
      return;
    }
    const running = control;
    const where = () => ({
      namespace: config.restart?.hashKey.namespace ?? ownNamespace,
      name: config.restart?.hashKey.name ?? 'weeder-hash-key',
    });
    const onLooked = () => {
      logger.info({ streams: streams.needs.size }, 'all streams of restart control are synced');
      if (mayStart) running.start();
    };
    stopKeys = followKeys({ client, clock, where, isDryRun, report, onKeys: running.useKeys, onLooked });
  }

  return {
    name: 'restart control',
    needs: streams.needs,
    configure(next) {
      config = next;
      const { restart } = next;
      // A source is not used before it is watched, and watched until it is used no more: else it would seem to be gone.
      streams.configure(next, () => {
        if (restart !== undefined) control?.configure(restart);
      });
    },
    start() {
      mayStart = true;
      startIfComplete();
    },
    stop() {
      mayStart = false;
      stopKeys?.();
      control?.stop();
    },
    async drained() {
      await control?.drained();
    },
    work: () => ({ queued: 0, inFlight: control?.counts().inFlight ?? 0 }),
    actors: () => control?.actors() ?? [],
    actorCounts: () => ({ workload: control?.counts().workloads ?? 0 }),
    control: () => control,
  };
}
