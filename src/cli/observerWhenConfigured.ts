import type { ObserverPart, ObserverPartOptions } from '../observer/observerPart.ts';
import { whenConfigured } from './whenConfigured.ts';

/** Makes the part: its module is loaded by then. */
export type CreateObserverPart = (options: ObserverPartOptions) => ObserverPart;

/** Loads the application observer. Who never configures it does not have its code in memory. */
export async function loadObserverPart(): Promise<CreateObserverPart> {
  const { createObserverPart } = await import('../observer/observerPart.ts');
  return createObserverPart;
}

/** The application observer, which is loaded when a config has its section for the first time. */
export function observerWhenConfigured(options: ObserverPartOptions): ObserverPart {
  const part = whenConfigured<ObserverPart, ObserverPartOptions>(
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
