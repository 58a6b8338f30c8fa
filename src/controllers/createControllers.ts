import type { Config } from '../config/config.ts';
import type { Contribution } from '../controller/contribution/contribution.ts';
import type { Controller, ControllerContext } from '../controller/controller.ts';
import type { ControllerRecording } from '../recording/file/controllerRecording.ts';
import { type Code, codeOf } from './code.ts';
import {
  type ControllerName,
  type ControllerOptions,
  contributions,
  controllerNames,
  makeEach,
  type ProcessControllers,
  type Report,
} from './controllers.ts';

interface ProcessOptions {
  readonly options: ControllerOptions;
  /** Creates the listener for the events of the next manager. */
  readonly nextReport: () => Report;
  /** Records all inputs and outputs, with `--record`. */
  readonly recordingOf: ((of: ControllerName) => ControllerRecording) | undefined;
}

/** Returns the factory of all controllers, once the code of those that the config has is loaded. */
export async function loadControllers(
  config: Config,
  { options, nextReport, recordingOf }: ProcessOptions,
): Promise<(context: ControllerContext) => Required<ProcessControllers>> {
  const code = makeEach<'code'>((of) => codeOf(() => contributions[of].load(recordingOf?.(of))));
  await Promise.all(controllerNames.map((of) => (contributions[of].isConfigured(config) ? code[of].load() : [])));
  return (context) => {
    const report = nextReport();
    return makeEach<'controller'>((of) =>
      createController(contributions[of], context, code[of], (create, its) =>
        create(its, options[of], (event) => report(of, event)),
      ),
    );
  };
}

type Part = Pick<Contribution<never, never, never>, 'name' | 'actorCounts' | 'isConfigured'>;
type Create<Loaded, Shown> = (loaded: Loaded, context: ControllerContext) => Controller<Shown>;

/** Creates a controller, or one that does nothing until its code is loaded, when a config first has its section. */
export function createController<Loaded, Shown>(
  part: Part,
  context: ControllerContext,
  code: Code<Loaded>,
  create: Create<Loaded, Shown>,
): Controller<Shown> {
  const loaded = code.loaded();
  return loaded === undefined ? loadedLate(part, context, code, create) : create(loaded, context);
}

/** Delegates to the controller once its code has been loaded. Until then it requires nothing. */
function loadedLate<Loaded, Shown>(
  { name, actorCounts, isConfigured }: Part,
  context: ControllerContext,
  code: Code<Loaded>,
  create: Create<Loaded, Shown>,
): Controller<Shown> {
  let { config } = context;
  let controller: Controller<Shown> | undefined;
  let isLoading = false;
  let isStarted = false;
  let isStopped = false;

  async function begin(): Promise<void> {
    const loaded = await code.load();
    if (isStopped) return;
    controller = create(loaded, { ...context, config });
    context.onStreamsChanged();
    if (isStarted) controller.start();
  }

  function loadIfConfigured(): void {
    if (isLoading || !isConfigured(config)) return;
    isLoading = true;
    begin().catch((error: unknown) => context.logger.error({ err: error }, `${name} cannot be loaded`));
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
    shown: () => controller?.shown(),
  };
}
