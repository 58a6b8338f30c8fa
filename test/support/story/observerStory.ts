import fc from 'fast-check';
import type { ObserverEvent } from '../../../src/observer/objects/events.ts';
import { ownerOf } from '../../../src/observer/objects/fieldManagers.ts';
import { keyOf } from './storyCalls.ts';
import { diceOf } from './storyDraw.ts';
import { violationsAtTheEnd } from './storyEnd.ts';
import { judge } from './storyJudge.ts';
import { makeApplication, makeForeignObjects, names, possibleSteps, type Scene } from './storySteps.ts';
import { storyWorld } from './storyWorld.ts';
import { otherClient } from './storyWriters.ts';

const minute = 60_000;

/** One step, and how long nothing happens before it; `seed` chooses the object and the details. */
export interface ObserverStep {
  readonly wait: number;
  /** One of the possible steps. */
  readonly does: string;
  readonly seed: number;
}

export const someObserverStory: fc.Arbitrary<readonly ObserverStep[]> = fc.array(
  fc.record<ObserverStep>({
    wait: fc.oneof(fc.nat(60), fc.nat(1_500), fc.nat(9_000), fc.nat(90_000)),
    does: fc.oneof(
      ...Object.entries(possibleSteps).map(([does, { weight }]) => ({ weight, arbitrary: fc.constant(does) })),
    ),
    seed: fc.nat(2 ** 30),
  }),
  { minLength: 1, maxLength: 40, size: 'max' },
);

/** Plays it in virtual time, and then waits. Throws at violations; returns the number of corrections. */
export async function playObserver(seed: number, story: readonly ObserverStep[]): Promise<number> {
  const dice = diceOf(seed);
  const log: string[] = [];
  let corrections = 0;
  const judged = judge({
    now: () => world.clock.monotonic(),
    time: () => world.clock.now(),
    core: () => world.core,
    application: (name) => scene.applications.get(name),
    isLabelInUse: (label) =>
      names.some(
        (name) =>
          ownerOf({ namespace: 'shop', name }).label === label && world.get(`Application/${name}`) !== undefined,
      ),
    process: () => world.process,
    startedAt: () => world.startedAt,
    log: (line) => void log.push(line),
  });
  const world = storyWorld({
    random: dice.next,
    listener: {
      sent: judged.sent,
      answered: judged.answered,
      refusedPermanently: judged.refusedPermanently,
      done(call, before, after) {
        judged.done(call, before, after);
        compete(scene, keyOf(call));
      },
    },
    report: onEvent,
    onOthers(before, after, applied = {}) {
      judged.writers.note(before, after, otherClient);
      judged.writers.share(after, applied);
    },
  });
  const scene: Scene = { world, applications: new Map(), competitors: new Map() };

  function onEvent(event: ObserverEvent): void {
    if (event.type === 'resource.corrected') {
      corrections += 1;
      judged.corrected(event.application.name, `${event.resource.kind}/${event.resource.name}`);
    }
    if (event.type === 'resource.applied')
      judged.recordApplied(event.application.name, `${event.resource.kind}/${event.resource.name}`, true);
    if (event.type === 'resource.deleted' || event.type === 'resource.released')
      judged.recordApplied(event.application.name, `${event.resource.kind}/${event.resource.name}`, false);
    if (event.type === 'resource.deletionSkipped') judged.skipped.add(`${event.resource.kind}/${event.resource.name}`);
    if (event.type === 'actor.failed') judged.violations.push(`${event.actor} failed: ${String(event.error)}`);
    const { type, ...rest } = event;
    log.push(`${world.clock.monotonic()} ${type} ${JSON.stringify(rest)}`);
  }

  world.put('ConfigMap/unowned', unowned, 'another-client');
  makeForeignObjects(scene, dice);
  for (const name of names.slice(0, 1 + dice.below(3))) makeApplication(scene, dice, name);
  world.start();
  for (const { wait, does, seed: stepSeed } of story) {
    await world.pass(wait);
    log.push(`${world.clock.monotonic()} --- ${does}`);
    await possibleSteps[does]?.act(scene, diceOf(stepSeed));
    if (judged.violations.length > 0) break;
  }
  await world.pass(5 * minute);
  world.server.failures = undefined;
  await world.pass(40 * minute);
  const writes = judged.writes;
  await world.pass(15 * minute);
  const violations = judged.violations.length > 0 ? judged.violations : violationsAtTheEnd(scene, judged);
  if (judged.writes !== writes) violations.push(`${judged.writes - writes} writes after the story`);
  await world.stop();
  if (violations.length > 0)
    throw new Error(`${violations.slice(0, 5).join('\n')}\nafter:\n${log.slice(-60).join('\n')}`);
  return corrections;
}

const unowned = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'unowned', namespace: 'shop', labels: { team: 'theirs' } },
  data: { k0: 'theirs' },
};

/** The conflicting manager writes its value a moment after it was changed. */
function compete({ world, competitors }: Scene, key: string): void {
  const competitor = competitors.get(key);
  if (competitor === undefined || world.clock.monotonic() > competitor.until) return;
  world.clock.setTimeout(() => {
    const live = world.get(key);
    const { spec, data } = competitor.object;
    if (live === undefined) return;
    world.put(
      key,
      { ...live, ...(spec === undefined ? {} : { spec }), ...(data === undefined ? {} : { data }) },
      'competitor',
    );
  }, 50);
}
