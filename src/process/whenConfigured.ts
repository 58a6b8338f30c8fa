import type { Config } from '../config/config.ts';
import type { Controller, ControllerContext } from '../controller/controller.ts';
import type { ObserverController, ObserverControllerOptions } from '../observer/observerController.ts';
import type { ObserverRecording } from '../recording/observer/observerLines.ts';
import type { RestartRecording } from '../recording/restart/restartLines.ts';
import type { RestartController, RestartControllerOptions } from '../restart/restartController.ts';

/** A controller whose code is loaded only if it is configured. */
interface ControllerLoader<P extends Controller, O extends ControllerContext> {
  /** The name of the controller. */
  readonly name: string;
  /** Its actor counts before it is loaded: zero for each of its machines. */
  readonly actorCounts: Readonly<Record<string, number>>;
  isConfigured(config: Config): boolean;
  /** Loads its module. */
  load(): Promise<(options: O) => P>;
}

/** Delegates to the controller once that has been loaded. */
interface LazyController<P extends Controller> extends Controller {
  loaded(): P | undefined;
}

/** Loads a controller when a config first has its section. Until then the controller requires nothing. */
function whenConfigured<P extends Controller, O extends ControllerContext>(
  { name, actorCounts, isConfigured, load }: ControllerLoader<P, O>,
  options: O,
): LazyController<P> {
  let { config } = options;
  let controller: P | undefined;
  let isLoading = false;
  let isStarted = false;
  let isStopped = false;

  async function begin(): Promise<void> {
    isLoading = true;
    const create = await load();
    if (isStopped) return;
    controller = create({ ...options, config });
    options.onStreamsChanged();
    if (isStarted) controller.start();
  }

  return {
    name,
    get needs() {
      return controller?.needs ?? new Map();
    },
    configure(next) {
      config = next;
      if (controller !== undefined) controller.configure(next);
      else if (isConfigured(next) && !isLoading)
        begin().catch((error: unknown) => options.logger.error({ err: error }, `${name} cannot be loaded`));
    },
    start() {
      isStarted = true;
      controller?.start();
    },
    stop() {
      isStopped = true;
      controller?.stop();
    },
    async drained() {
      await controller?.drained();
    },
    work: () => controller?.work() ?? { queued: 0, inFlight: 0 },
    actors: () => controller?.actors() ?? [],
    actorCounts: () => controller?.actorCounts() ?? actorCounts,
    loaded: () => controller,
  };
}

interface RestartOptions extends Omit<RestartControllerOptions, 'createCore'> {
  /** Records all inputs and outputs, with `--record`. */
  readonly recorder?: { readonly restarts: RestartRecording } | undefined;
}

/** Creates the controller, whose module is loaded by then. */
type RestartControllerFactory = (options: RestartOptions) => RestartController;

/** Loads restart control, so that its code takes no memory where it is not configured. */
export async function loadRestartController(): Promise<RestartControllerFactory> {
  const { createRestartController } = await import('../restart/restartController.ts');
  const { recordingRestarts } = await import('../recording/restart/recordRestart.ts');
  return ({ recorder, ...options }) =>
    createRestartController({
      ...options,
      ...(recorder === undefined ? {} : { createCore: recordingRestarts(recorder.restarts) }),
    });
}

/** Restart control, which is loaded when a config first has its section. */
export function restartWhenConfigured(options: RestartOptions): RestartController {
  const controller = whenConfigured<RestartController, RestartOptions>(
    {
      name: 'restart control',
      actorCounts: { workload: 0 },
      isConfigured: ({ restart }) => restart !== undefined,
      load: loadRestartController,
    },
    options,
  );
  return Object.assign(controller, { control: () => controller.loaded()?.control() });
}

interface ObserverOptions extends Omit<ObserverControllerOptions, 'createCore'> {
  /** Records all inputs and outputs, with `--record`. */
  readonly recorder?: { readonly observer: ObserverRecording } | undefined;
}

/** Creates the controller, whose module is loaded by then. */
type ObserverControllerFactory = (options: ObserverOptions) => ObserverController;

/** Loads the application observer, so that its code takes no memory where it is not configured. */
export async function loadObserverController(): Promise<ObserverControllerFactory> {
  const { createObserverController } = await import('../observer/observerController.ts');
  const { recordingObserver } = await import('../recording/observer/recordObserver.ts');
  return ({ recorder, ...options }) =>
    createObserverController({
      ...options,
      ...(recorder === undefined ? {} : { createCore: recordingObserver(recorder.observer) }),
    });
}

/** The application observer, which is loaded when a config first has its section. */
export function observerWhenConfigured(options: ObserverOptions): ObserverController {
  const controller = whenConfigured<ObserverController, ObserverOptions>(
    {
      name: 'the application observer',
      actorCounts: { application: 0, resource: 0 },
      isConfigured: ({ observer }) => observer !== undefined,
      load: loadObserverController,
    },
    options,
  );
  return Object.assign(controller, { core: () => controller.loaded()?.core() });
}
