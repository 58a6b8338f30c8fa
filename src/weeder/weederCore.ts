import type { StreamNeed } from '@weeder/kube-runtime/watch';
import type { Config } from '../config/config.ts';
import type { ControllerContext } from '../controller/controller.ts';
import { createStreams, type Streams, type StreamsOptions } from './streams.ts';
import { createWeeder, type Weeder, type WeederOptions } from './weeder.ts';

type ContextOptions = 'namespaces' | 'onStreamsChanged' | 'onStreamClosed';

/** Everything through which the weeder interacts with the outside: a recording wraps it, a replay replaces it. */
export interface WeederCoreOptions
  extends WeederOptions,
    Pick<ControllerContext, ContextOptions>,
    Pick<StreamsOptions, 'resumed'> {
  readonly wrapStream?: (need: StreamNeed) => StreamNeed;
}

/** The weeder with its streams. */
export interface WeederCore extends Pick<Streams, 'needs'>, Pick<Weeder, 'start' | 'stop'> {
  readonly weeder: Weeder;
  readonly streams: Pick<Streams, 'state' | 'isHandingOver'>;
  configure(config: Config): void;
}

export type CreateWeederCore = (options: WeederCoreOptions) => WeederCore;

/** The weeder without its log, its Events and the services that pods declare. */
export function createWeederCore(options: WeederCoreOptions): WeederCore {
  const weeder = createWeeder(options);
  const streams = createStreams({
    weeder,
    config: options.config,
    namespaces: options.namespaces,
    resumed: options.resumed,
    ...(options.wrapStream === undefined ? {} : { wrap: options.wrapStream }),
    onChanged: options.onStreamsChanged,
    onClosed: options.onStreamClosed,
  });
  return {
    weeder,
    streams,
    needs: streams.needs,
    configure(next) {
      weeder.configure(next);
      streams.configure(next);
    },
    start: weeder.start,
    stop: weeder.stop,
  };
}
