import type { RestartPart, RestartPartOptions } from '../restart/restartPart.ts';
import { whenConfigured } from './whenConfigured.ts';

/** Makes the part: its module is loaded by then. */
export type CreateRestartPart = (options: RestartPartOptions) => RestartPart;

/** Loads restart control. Who never configures it does not have its code in memory. */
export async function loadRestartPart(): Promise<CreateRestartPart> {
  const { createRestartPart } = await import('../restart/restartPart.ts');
  return createRestartPart;
}

/** Restart control, which is loaded when a config has its section for the first time. */
export function restartWhenConfigured(options: RestartPartOptions): RestartPart {
  const part = whenConfigured<RestartPart, RestartPartOptions>(
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
