import { type AnyEventObject, fromCallback } from 'xstate';
import { type ResourceEvent, type ResourceInput, resource } from '../../../machines/observer/resource.ts';
import { messageOf } from '../../base/errors.ts';
import { track } from '../../base/promises.ts';
import type { ObserverEffects } from '../effects/observerEffects.ts';
import type { ResourceEntry } from '../state/entries.ts';
import { checkResource } from './checkResource.ts';
import { resourceReports } from './reportResource.ts';
import { writeResource } from './writeResource.ts';

export type ResourceLogic = typeof resource;

type Question = (effects: ObserverEffects, entry: ResourceEntry, signal: AbortSignal) => Promise<() => ResourceEvent>;

const ended = new Error('the caller no longer waits');

/** The `resource` machine with its effects. */
export function provideResource(effects: ObserverEffects): ResourceLogic {
  const { resourceOf, random } = effects;

  /** A question that fails in an unforeseen way is a mistake in weeder: it is reported, and asked again after a pause. */
  function asking(failure: 'check.failed' | 'write.failed', ask: Question) {
    return fromCallback<AnyEventObject, ResourceInput>(({ input, sendBack }) => {
      const entry = resourceOf(input.application, input.resource);
      if (entry === undefined) throw new Error(`there is no resource ${input.resource} in ${input.application}`);
      const stop = new AbortController();
      const asked = ask(effects, entry, stop.signal).then(
        (answer) => sendBack({ ...answer(), jitter: random() }),
        (error) => sendBack({ type: failure, reason: messageOf(error), jitter: random() }),
      );
      track(entry.application.inFlight, asked);
      return () => stop.abort(ended);
    });
  }

  /** Not tracked as a request of the resource, so that draining does not wait for it. */
  const awaitKind = fromCallback<AnyEventObject, ResourceInput>(({ input, sendBack }) => {
    const entry = resourceOf(input.application, input.resource);
    if (entry === undefined) throw new Error(`there is no resource ${input.resource} in ${input.application}`);
    const stop = new AbortController();
    const { apiVersion, kind } = entry.manifest;
    effects.restMapper.awaitServed(apiVersion, kind, stop.signal).then(
      (served) => sendBack(served.ok ? { type: 'kind.served' } : { type: 'check.failed', jitter: random() }),
      (error) => sendBack({ type: 'check.failed', reason: messageOf(error), jitter: random() }),
    );
    return () => stop.abort(ended);
  });

  return resource.provide({
    actors: {
      check: asking('check.failed', checkResource),
      correct: asking('write.failed', writeResource),
      create: asking('write.failed', writeResource),
      awaitKind,
    },
    actions: resourceReports(effects),
  });
}
