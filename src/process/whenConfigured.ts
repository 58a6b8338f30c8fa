import type { Config } from '../config/config.ts';
import type { ControllerPart, PartContext } from '../controller/controllerPart.ts';

/** A controller whose code is in the memory of those only who configure it. */
interface LazyController<P extends ControllerPart, O extends PartContext> {
  /** As the part itself is called. */
  readonly name: string;
  /** How many actors it has before it is loaded: none, by machine. */
  readonly actorCounts: Readonly<Record<string, number>>;
  isConfigured(config: Config): boolean;
  /** Loads its module. */
  load(): Promise<(options: O) => P>;
}

/** The part that stands for it; undefined: it was not loaded yet. */
interface LazyPart<P extends ControllerPart> extends ControllerPart {
  loaded(): P | undefined;
}

/** A controller that is loaded when a config has its section for the first time: until then it needs nothing. */
export function whenConfigured<P extends ControllerPart, O extends PartContext>(
  { name, actorCounts, isConfigured, load }: LazyController<P, O>,
  options: O,
): LazyPart<P> {
  let { config } = options;
  let part: P | undefined;
  let isLoading = false;
  let isStarted = false;
  let isStopped = false;

  async function begin(): Promise<void> {
    isLoading = true;
    const create = await load();
    if (isStopped) return;
    part = create({ ...options, config });
    options.onStreamsChanged();
    if (isStarted) part.start();
  }

  return {
    name,
    get needs() {
      return part?.needs ?? new Map();
    },
    configure(next) {
      config = next;
      if (part !== undefined) part.configure(next);
      else if (isConfigured(next) && !isLoading)
        begin().catch((error: unknown) => options.logger.error({ err: error }, `${name} cannot be loaded`));
    },
    start() {
      isStarted = true;
      part?.start();
    },
    stop() {
      isStopped = true;
      part?.stop();
    },
    async drained() {
      await part?.drained();
    },
    work: () => part?.work() ?? { queued: 0, inFlight: 0 },
    actors: () => part?.actors() ?? [],
    actorCounts: () => part?.actorCounts() ?? actorCounts,
    loaded: () => part,
  };
}
