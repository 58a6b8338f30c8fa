import type { Config } from '../config/config.ts';
import type { Controller, ControllerContext } from '../controller/controller.ts';
import type { ObserverController, ObserverControllerOptions } from '../observer/observerController.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { RestartController, RestartControllerOptions } from '../restart/restartController.ts';
import type { ReportWeeder } from '../weeder/deletions/weederEvents.ts';
import {
  createWeederController,
  type WeederController,
  type WeederControllerOptions,
} from '../weeder/weederController.ts';

/** The controllers of a process. A demo has only those that it shows. */
export type ProcessControllers = {
  readonly weeder: WeederController;
  readonly restarts?: RestartController;
  readonly observer?: ObserverController;
};

/** The options of the controllers beside their context. */
interface ProcessControllersOptions {
  readonly weeder: Pick<WeederControllerOptions, 'concurrentDeletions'>;
  /** Creates the listener for the events of the next weeder. */
  readonly nextReport: () => ReportWeeder;
  readonly restarts: Omit<RestartControllerOptions, keyof ControllerContext | 'createCore'>;
  readonly observer: Omit<ObserverControllerOptions, keyof ControllerContext | 'createCore'>;
  /** Records all inputs and outputs, with `--record`. */
  readonly recorder: Recorder | undefined;
}

/** Returns the factory of all controllers, once the code of those that the config has is loaded. */
export async function loadControllers(
  config: Config,
  options: ProcessControllersOptions,
): Promise<(context: ControllerContext) => Required<ProcessControllers>> {
  const { recorder } = options;
  const createRestarts = config.restart === undefined ? lateRestartControl : await loadRestartControl(recorder);
  const createObserver = config.observer === undefined ? lateObserver : await loadObserver(recorder);
  return (context) => ({
    weeder: createWeederController({ ...context, ...options.weeder, report: options.nextReport(), recorder }),
    restarts: createRestarts({ ...context, ...options.restarts }, recorder),
    observer: createObserver({ ...context, ...options.observer }, recorder),
  });
}

async function loadRestartControl(recorder: Recorder | undefined) {
  const { createRestartController } = await import('../restart/restartController.ts');
  const { recordingRestart } = await import('../restart/recording/recordRestart.ts');
  const recording = recorder === undefined ? {} : { createCore: recordingRestart(recorder.restarts) };
  return (options: RestartControllerOptions): RestartController =>
    createRestartController({ ...options, ...recording });
}

async function loadObserver(recorder: Recorder | undefined) {
  const { createObserverController } = await import('../observer/observerController.ts');
  const { recordingObserver } = await import('../observer/recording/recordObserver.ts');
  const recording = recorder === undefined ? {} : { createCore: recordingObserver(recorder.observer) };
  return (options: ObserverControllerOptions): ObserverController =>
    createObserverController({ ...options, ...recording });
}

/** Restart control, whose code is loaded when a config first has its section, because it takes memory. */
export function lateRestartControl(options: RestartControllerOptions, recorder?: Recorder): RestartController {
  const controller = loadedLate(options, {
    name: 'restart control',
    actorCounts: { workload: 0 },
    isConfigured: ({ restart }) => restart !== undefined,
    load: () => loadRestartControl(recorder),
  });
  return Object.assign(controller, { control: () => controller.loaded()?.control() });
}

/** The application observer, whose code is loaded when a config first has its section. */
function lateObserver(options: ObserverControllerOptions, recorder?: Recorder): ObserverController {
  const controller = loadedLate(options, {
    name: 'the application observer',
    actorCounts: { application: 0, resource: 0 },
    isConfigured: ({ observer }) => observer !== undefined,
    load: () => loadObserver(recorder),
  });
  return Object.assign(controller, { core: () => controller.loaded()?.core() });
}

interface LateController<C extends Controller, O extends ControllerContext> {
  readonly name: string;
  /** Its actor counts before it is loaded: zero for each of its machines. */
  readonly actorCounts: Readonly<Record<string, number>>;
  isConfigured(config: Config): boolean;
  /** Loads its module. */
  load(): Promise<(options: O) => C>;
}

/** Delegates to the controller once its code has been loaded. Until then it requires nothing. */
function loadedLate<C extends Controller, O extends ControllerContext>(
  options: O,
  { name, actorCounts, isConfigured, load }: LateController<C, O>,
): Controller & { loaded(): C | undefined } {
  let { config } = options;
  let controller: C | undefined;
  let isLoading = false;
  let isStarted = false;
  let isStopped = false;

  async function begin(): Promise<void> {
    const create = await load();
    if (isStopped) return;
    controller = create({ ...options, config });
    options.onStreamsChanged();
    if (isStarted) controller.start();
  }

  function loadIfConfigured(): void {
    if (isLoading || !isConfigured(config)) return;
    isLoading = true;
    begin().catch((error: unknown) => options.logger.error({ err: error }, `${name} cannot be loaded`));
  }

  // A config that was reloaded before has the section already when the next manager begins.
  loadIfConfigured();

  return {
    name,
    get needs() {
      return controller?.needs ?? new Map();
    },
    configure(next) {
      config = next;
      if (controller !== undefined) controller.configure(next);
      else loadIfConfigured();
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
