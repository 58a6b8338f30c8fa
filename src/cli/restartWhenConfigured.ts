import type { RestartPart, RestartPartOptions } from '../restart/restartPart.ts';

/** Makes the part: its module is loaded by then. */
export type CreateRestartPart = (options: RestartPartOptions) => RestartPart;

/** Loads restart control. Who never configures it does not have its code in memory. */
export async function loadRestartPart(): Promise<CreateRestartPart> {
  const { createRestartPart } = await import('../restart/restartPart.ts');
  return createRestartPart;
}

/** Restart control, which is loaded when a config has its section for the first time: until then it needs nothing. */
export function restartWhenConfigured(options: RestartPartOptions): RestartPart {
  let { config } = options;
  let part: RestartPart | undefined;
  let isLoading = false;
  let isStarted = false;
  let isStopped = false;

  async function load(): Promise<void> {
    isLoading = true;
    const create = await loadRestartPart();
    if (isStopped) return;
    part = create({ ...options, config });
    options.onStreamsChanged();
    if (isStarted) part.start();
  }

  return {
    name: 'restart control',
    get needs() {
      return part?.needs ?? new Map();
    },
    configure(next) {
      config = next;
      if (part !== undefined) part.configure(next);
      else if (next.restart !== undefined && !isLoading)
        load().catch((error: unknown) => options.logger.error({ err: error }, 'restart control cannot be loaded'));
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
    actorCounts: () => part?.actorCounts() ?? { workload: 0 },
    control: () => part?.control(),
  };
}
