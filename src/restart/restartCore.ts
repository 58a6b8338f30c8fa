import type { StreamNeed } from '@weeder/kube-runtime/watch';
import type { Random } from '../actors/effect.ts';
import type { Config } from '../config/config.ts';
import type { ControllerContext } from '../controller/controller.ts';
import type { WatchHashKeysOptions } from './digest/watchHashKeys.ts';
import type { ReportRestart } from './references/events.ts';
import { withoutSecrets } from './references/sourceMeta.ts';
import type { RestartApi } from './requests/restartApi.ts';
import { createRestartControl, type RestartControl, type WrapDigests } from './restartControl.ts';
import { createRestartStreams, type WrapRestartSink } from './sources/restartStreams.ts';

type OfTheController =
  | 'config'
  | 'runtime'
  | 'namespaces'
  | 'owned'
  | 'isDryRun'
  | 'onStreamsChanged'
  | 'onStreamClosed';

/** Everything through which restart control interacts with the outside: a recording wraps it, a replay replaces it. */
export interface RestartCoreOptions extends Pick<ControllerContext, OfTheController> {
  readonly api: RestartApi;
  readonly report: ReportRestart;
  readonly random: Random;
  /** The namespace of the Secret with the hash key, unless the config sets it. */
  readonly ownNamespace: string;
  /** Reads the hash keys periodically; returns a function that stops it. */
  readonly watchHashKeys: (options: Pick<WatchHashKeysOptions, 'where' | 'onKeys' | 'onChecked'>) => () => void;
  /** Called once when restart control acts and all of its streams have been read, with their number. */
  readonly onStarted?: (streams: number) => void;
  /** A replay that begins in the middle of a run. */
  readonly isContinued?: boolean;
  readonly wrapDigests?: WrapDigests;
  readonly wrapSink?: WrapRestartSink;
}

/** Restart control with its streams and its keys. */
export interface RestartCore {
  /** The streams that have to be open now, by name. */
  readonly needs: ReadonlyMap<string, StreamNeed>;
  configure(config: Config): void;
  /**
   * From now on restart control acts on each workload as soon as the streams that the workload depends on have been
   * read.
   */
  start(): void;
  stop(): void;
  /** Undefined: the config has no section `restartControl`, and never had one. */
  control(): RestartControl | undefined;
}

export type CreateRestartCore = (options: RestartCoreOptions) => RestartCore;

/** Restart control without its log and its Events. Without its section of the config it does nothing. */
export function createRestartCore(options: RestartCoreOptions): RestartCore {
  let { config } = options;
  let control: RestartControl | undefined;
  let mayStart = false;
  let stopKeys: (() => void) | undefined;
  let hasReported = false;

  function controlled(): RestartControl {
    if (control !== undefined) return control;
    if (config.restart === undefined) throw new Error('restart control has a stream without having a config');
    control = createRestartControl({
      ...options,
      config: config.restart,
      hasRead: (source) => streams.hasRead(source),
      hasReadWorkload: (workload) => streams.hasReadWorkload(workload),
      onUsed: (sources) => streams.use(sources),
    });
    return control;
  }

  const streams = createRestartStreams({
    config,
    namespaces: options.namespaces,
    owned: options.owned,
    sinks: {
      workloads: (kind) => controlled().createWorkloadSink(kind),
      sources: (kind) => controlled().createSourceSink(kind),
    },
    ...(options.wrapSink === undefined ? {} : { wrap: options.wrapSink }),
    reduceSource: withoutSecrets,
    onChanged: options.onStreamsChanged,
    onClosed: options.onStreamClosed,
    onSynced: reportSynced,
    onRead: (stream) => control?.streamRead(stream),
  });

  /** Reports once, when everything that can be read has been read. */
  function reportSynced(): void {
    if (hasReported || control?.isRunning !== true || !streams.isSynced) return;
    hasReported = true;
    options.onStarted?.(streams.needs.size);
  }

  /** Waits for no stream: each workload waits only for the streams that it depends on. */
  function startUp(): void {
    if (!mayStart || control === undefined || stopKeys !== undefined) return;
    const running = control;
    const where = () => ({
      namespace: config.restart?.hashKey.namespace ?? options.ownNamespace,
      name: config.restart?.hashKey.name ?? 'weeder-hash-key',
    });
    const onChecked = () => {
      if (mayStart) running.start();
      reportSynced();
    };
    stopKeys = options.watchHashKeys({ where, onKeys: running.useKeys, onChecked });
  }

  return {
    needs: streams.needs,
    configure(next) {
      config = next;
      const { restart } = next;
      // A source is watched before it is used, and until it is no longer used: otherwise it would seem to be deleted.
      streams.configure(next, () => {
        if (restart !== undefined) control?.configure(restart);
      });
      startUp();
    },
    start() {
      mayStart = true;
      startUp();
    },
    stop() {
      mayStart = false;
      stopKeys?.();
      control?.stop();
    },
    control: () => control,
  };
}
