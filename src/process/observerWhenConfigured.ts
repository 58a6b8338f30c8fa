import type { ObserverPart, ObserverPartOptions } from '../observer/observerPart.ts';
import type { ObserverRecording } from '../recording/observer/observerLines.ts';
import { whenConfigured } from './whenConfigured.ts';

interface ObserverOptions extends Omit<ObserverPartOptions, 'createCore'> {
  /** Takes down all that passes in and out, with `--record`. */
  readonly recorder?: { readonly observer: ObserverRecording } | undefined;
}

/** Makes the part: its module is loaded by then. */
type CreateObserverPart = (options: ObserverOptions) => ObserverPart;

/** Loads the application observer. Who never configures it does not have its code in memory. */
export async function loadObserverPart(): Promise<CreateObserverPart> {
  const { createObserverPart } = await import('../observer/observerPart.ts');
  const { recordingObserver } = await import('../recording/observer/recordObserver.ts');
  return ({ recorder, ...options }) =>
    createObserverPart({
      ...options,
      ...(recorder === undefined ? {} : { createCore: recordingObserver(recorder.observer) }),
    });
}

/** The application observer, which is loaded when a config has its section for the first time. */
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
