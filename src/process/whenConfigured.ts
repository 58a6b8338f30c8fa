import type { Config } from '../config/config.ts';
import type { Controller, ControllerContext } from '../controller/controller.ts';
import type { ObserverPart, ObserverPartOptions } from '../observer/observerPart.ts';
import type { ObserverRecording } from '../recording/observer/observerLines.ts';
import type { RestartRecording } from '../recording/restart/restartLines.ts';
import type { RestartPart, RestartPartOptions } from '../restart/restartPart.ts';

/** A controller whose code is loaded only if it is configured. */
interface LazyController<P extends Controller, O extends ControllerContext> {
  /** The name of the controller. */
  readonly name: string;
  /** Its actor counts before it is loaded: zero for each of its machines. */
  readonly actorCounts: Readonly<Record<string, number>>;
  isConfigured(config: Config): boolean;
  /** Loads its module. */
  load(): Promise<(options: O) => P>;
}

/** Stands for the controller; it is undefined until it has been loaded. */
interface LazyPart<P extends Controller> extends Controller {
  loaded(): P | undefined;
}

/** Loads a controller when a config first has its section. Until then the controller requires nothing. */
function whenConfigured<P extends Controller, O extends ControllerContext>(
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

interface RestartOptions extends Omit<RestartPartOptions, 'createCore'> {
  /** Records all inputs and outputs, with `--record`. */
  readonly recorder?: { readonly restarts: RestartRecording } | undefined;
}

/** Creates the controller, whose module is loaded by then. */
type CreateRestartPart = (options: RestartOptions) => RestartPart;

/** Loads restart control, so that its code takes no memory where it is not configured. */
export async function loadRestartPart(): Promise<CreateRestartPart> {
  const { createRestartPart } = await import('../restart/restartPart.ts');
  const { recordingRestarts } = await import('../recording/restart/recordRestart.ts');
  return ({ recorder, ...options }) =>
    createRestartPart({
      ...options,
      ...(recorder === undefined ? {} : { createCore: recordingRestarts(recorder.restarts) }),
    });
}

/** Restart control, which is loaded when a config first has its section. */
export function restartWhenConfigured(options: RestartOptions): RestartPart {
  const part = whenConfigured<RestartPart, RestartOptions>(
    {
      name: 'restart control',
      actorCounts: { workload: 0 },
      isConfigured: ({ restart }) => restart !== undefined,
      load: loadRestartPart,
    },
    options,
  );
  return Object.assign(part, { control: () => part.loaded()?.control() });
}

interface ObserverOptions extends Omit<ObserverPartOptions, 'createCore'> {
  /** Records all inputs and outputs, with `--record`. */
  readonly recorder?: { readonly observer: ObserverRecording } | undefined;
}

/** Creates the controller, whose module is loaded by then. */
type CreateObserverPart = (options: ObserverOptions) => ObserverPart;

/** Loads the application observer, so that its code takes no memory where it is not configured. */
export async function loadObserverPart(): Promise<CreateObserverPart> {
  const { createObserverPart } = await import('../observer/observerPart.ts');
  const { recordingObserver } = await import('../recording/observer/recordObserver.ts');
  return ({ recorder, ...options }) =>
    createObserverPart({
      ...options,
      ...(recorder === undefined ? {} : { createCore: recordingObserver(recorder.observer) }),
    });
}

/** The application observer, which is loaded when a config first has its section. */
export function observerWhenConfigured(options: ObserverOptions): ObserverPart {
  const part = whenConfigured<ObserverPart, ObserverOptions>(
    {
      name: 'the application observer',
      actorCounts: { application: 0, resource: 0 },
      isConfigured: ({ observer }) => observer !== undefined,
      load: loadObserverPart,
    },
    options,
  );
  return Object.assign(part, { core: () => part.loaded()?.core() });
}
