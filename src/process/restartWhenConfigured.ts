import type { RestartRecording } from '../recording/restart/restartLines.ts';
import type { RestartPart, RestartPartOptions } from '../restart/restartPart.ts';
import { whenConfigured } from './whenConfigured.ts';

interface RestartOptions extends Omit<RestartPartOptions, 'createCore'> {
  /** Takes down all that passes in and out, with `--record`. */
  readonly recorder?: { readonly restarts: RestartRecording } | undefined;
}

/** Makes the part: its module is loaded by then. */
type CreateRestartPart = (options: RestartOptions) => RestartPart;

/** Loads restart control. Who never configures it does not have its code in memory. */
export async function loadRestartPart(): Promise<CreateRestartPart> {
  const { createRestartPart } = await import('../restart/restartPart.ts');
  const { recordingRestarts } = await import('../recording/restart/recordRestart.ts');
  return ({ recorder, ...options }) =>
    createRestartPart({
      ...options,
      ...(recorder === undefined ? {} : { createCore: recordingRestarts(recorder.restarts) }),
    });
}

/** Restart control, which is loaded when a config has its section for the first time. */
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
