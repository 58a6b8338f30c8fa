import { type AnyEventObject, fromCallback } from 'xstate';
import { type ApplicationEvent, type ApplicationInput, application } from '../../../machines/observer/application.ts';
import { messageOf } from '../../base/errors.ts';
import { track } from '../../base/promises.ts';
import type { ObserverEffects } from '../effects/observerEffects.ts';
import type { ResourceLogic } from '../resource/resourceActor.ts';
import type { ApplicationEntry } from '../state/entries.ts';
import { applyApplication } from './applyApplication.ts';
import { deleteApplication } from './deleteApplication.ts';
import { applicationReports } from './reportApplication.ts';
import { startObserver } from './startObserver.ts';
import { validateApplication } from './validateApplication.ts';

export type ApplicationLogic = typeof application;

type Question = (effects: ObserverEffects, entry: ApplicationEntry, signal: AbortSignal) => Promise<ApplicationEvent>;

type Refusal = 'spec.refused' | 'apply.refused' | 'deletion.refused';

const ended = new Error('the caller no longer waits');

/** The `application` machine with its effects. */
export function provideApplication(effects: ObserverEffects, logic: ResourceLogic): ApplicationLogic {
  const { random } = effects;

  function entryOf({ application: id }: ApplicationInput): ApplicationEntry {
    const entry = effects.entryOf(id);
    if (entry === undefined) throw new Error(`there is no application ${id}`);
    return entry;
  }

  /** A question that fails in an unforeseen way is a mistake in weeder: it is reported, and asked again after a pause. */
  function asking(refusal: Refusal, ask: Question) {
    return fromCallback<AnyEventObject, ApplicationInput>(({ input, sendBack }) => {
      const entry = entryOf(input);
      const stop = new AbortController();
      const asked = ask(effects, entry, stop.signal).then(
        (event) => sendBack({ ...event, jitter: random() }),
        (error) => sendBack({ type: refusal, reason: messageOf(error), jitter: random() }),
      );
      track(entry.inFlight, asked);
      return () => stop.abort(ended);
    });
  }

  return application.provide({
    actors: {
      validate: asking('spec.refused', validateApplication),
      applyResources: asking('apply.refused', applyApplication),
      observer: fromCallback<AnyEventObject, ApplicationInput>(({ input }) =>
        startObserver(effects, entryOf(input), logic),
      ),
      drain: fromCallback<AnyEventObject, ApplicationInput>(({ input, sendBack }) => {
        const { inFlight } = entryOf(input);
        drained(inFlight).then(
          () => sendBack({ type: 'requests.drained' }),
          () => sendBack({ type: 'requests.drained' }),
        );
      }),
      deleteResources: asking('deletion.refused', deleteApplication),
    },
    actions: applicationReports(effects),
  });
}

/** Resolves when nothing is under way. */
async function drained(inFlight: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (inFlight.size > 0) await Promise.allSettled(inFlight);
}
