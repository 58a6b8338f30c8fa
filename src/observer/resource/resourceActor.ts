import { type ResourceEvent, type ResourceInput, resource } from '../../../machines/observer/resource.ts';
import { effectLogic } from '../../actors/effect.ts';
import type { ResourceEntry } from '../entries/entries.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { checkResource } from './checkResource.ts';
import { resourceReports } from './reportResource.ts';
import { writeResource } from './writeResource.ts';

const failure = 'effect.failed';

type ResourceEffect = (
  effects: ObserverEffects,
  entry: ResourceEntry,
  signal: AbortSignal,
) => Promise<() => ResourceEvent>;

/** Returns the `resource` machine with its effects. */
export function provideResource(effects: ObserverEffects): typeof resource {
  const { resources, random } = effects;

  function entryOf({ application, resource: id }: ResourceInput): ResourceEntry {
    const entry = resources.get(application, id);
    if (entry === undefined) throw new Error(`there is no resource ${id} in ${application}`);
    return entry;
  }

  const actorOf = ({ application, resource: id }: ResourceInput) => `${application} ${id}`;
  const inFlight = (input: ResourceInput) => entryOf(input).application.inFlight;
  const invoking = (effect: ResourceEffect) =>
    effectLogic<ResourceInput>({ failure, random, actorOf, inFlight }, (input, signal) =>
      effect(effects, entryOf(input), signal),
    );

  /** This request is not in `inFlight`, so draining does not wait for it. */
  const awaitKind = effectLogic<ResourceInput>({ failure, random, actorOf }, async (input, signal) => {
    const { apiVersion, kind } = entryOf(input).desired.manifest;
    const served = await effects.restMapper.awaitServed(apiVersion, kind, signal);
    return { type: served.ok ? 'kind.served' : failure };
  });

  return resource.provide({
    actors: {
      check: invoking(checkResource),
      correct: invoking(writeResource),
      create: invoking(writeResource),
      awaitKind,
    },
    actions: resourceReports(effects),
  });
}
