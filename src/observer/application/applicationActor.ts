import { type AnyEventObject, fromCallback } from 'xstate';
import { type ApplicationEvent, type ApplicationInput, application } from '../../../machines/observer/application.ts';
import { effectLogic } from '../../actors/effect.ts';
import type { ApplicationEntry } from '../entries/entries.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { applyApplication } from './applyApplication.ts';
import { deleteApplication } from './deleteApplication.ts';
import { applicationReports } from './reportApplication.ts';
import { startObserver } from './startObserver.ts';
import { validateApplication } from './validateApplication.ts';

export type ApplicationLogic = typeof application;

type ApplicationEffect = (
  effects: ObserverEffects,
  entry: ApplicationEntry,
  signal: AbortSignal,
) => Promise<ApplicationEvent>;

type Failed = 'spec.failed' | 'apply.failed' | 'deletion.failed';

/** Returns the `application` machine with its effects. */
export function provideApplication(effects: ObserverEffects): ApplicationLogic {
  const { random } = effects;

  function entryOf({ application: id }: ApplicationInput): ApplicationEntry {
    const entry = effects.entryOf(id);
    if (entry === undefined) throw new Error(`there is no application ${id}`);
    return entry;
  }

  const actorOf = ({ application: id }: ApplicationInput) => id;
  const inFlight = (input: ApplicationInput) => entryOf(input).inFlight;
  const invoking = (failure: Failed, effect: ApplicationEffect) =>
    effectLogic<ApplicationInput>({ failure, random, actorOf, inFlight }, (input, signal) =>
      effect(effects, entryOf(input), signal),
    );

  return application.provide({
    actors: {
      validate: invoking('spec.failed', validateApplication),
      applyResources: invoking('apply.failed', applyApplication),
      observer: fromCallback<AnyEventObject, ApplicationInput>(({ input }) => startObserver(effects, entryOf(input))),
      drain: fromCallback<AnyEventObject, ApplicationInput>(({ input, sendBack }) => {
        const { inFlight } = entryOf(input);
        drained(inFlight).then(
          () => sendBack({ type: 'requests.drained' }),
          () => sendBack({ type: 'requests.drained' }),
        );
      }),
      deleteResources: invoking('deletion.failed', deleteApplication),
    },
    actions: applicationReports(effects),
  });
}

/** Resolves when no request is in flight. */
async function drained(inFlight: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (inFlight.size > 0) await Promise.allSettled(inFlight);
}
