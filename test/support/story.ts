import fc from 'fast-check';
import type { DeletionAnswer, DeletionRequest } from '../../src/weeder/deletePod.ts';
import { backOff, running, terminated } from './objects.ts';
import { type Oracle, oracle, type ServiceModel } from './oracle.ts';
import { apiserver, minute } from './simulation.ts';
import { type World, world } from './world.ts';

/** One thing that happens, as plain data, so that a counterexample can be read. Milliseconds. */
export type Step =
  | ({
      readonly do: 'pod';
      readonly name: string;
      readonly role: string;
      readonly state: 'running' | 'backOff' | 'ended';
    } & { readonly restarts: number; readonly isBare: boolean; readonly isSeen: boolean })
  | { readonly do: 'remove'; readonly name: string }
  | { readonly do: 'slice'; readonly service: string; readonly part: string; readonly ready: readonly boolean[] | null }
  | { readonly do: 'sliceGap'; readonly service: string; readonly ready: readonly boolean[] | null }
  | { readonly do: 'relistPods' }
  | { readonly do: 'jump'; readonly ms: number }
  | { readonly do: 'mood'; readonly mood: Mood }
  | { readonly do: 'answerLate' }
  | { readonly do: 'pass'; readonly ms: number };

/** What the API server says to deletions; `late`: nothing until it is told to. */
type Mood = 'accept' | 'refuse' | 'reject' | 'conflict' | 'late';

/** A weeder whose every deletion is judged in the moment in which it begins. */
export interface Story {
  readonly at: World;
  readonly judge: Oracle;
  happen(step: Step): void | Promise<void>;
}

const web = { matchLabels: { role: 'web' } };
export const services = [
  { name: 'etcd', podSelectors: [apiserver], watchDuration: minute, whileNotReady: 'hold' },
  { name: 'dns', podSelectors: [apiserver, web], watchDuration: 2 * minute, whileNotReady: 'delete' },
] as const;

const answers: Readonly<Record<'refuse' | 'reject' | 'conflict', DeletionAnswer>> = {
  refuse: { type: 'delete.refused' },
  reject: { type: 'delete.rejected', reason: 'no' },
  conflict: { type: 'delete.conflicted' },
};

export function beginStory(): Story {
  const judge = oracle(services.map((each): ServiceModel => ({ ...each, isReady: false, windowEnd: 0 })));
  const slices = new Map<string, { readonly service: string; readonly ready: readonly boolean[] }>();
  const late: { readonly request: DeletionRequest; readonly resolve: (answer: DeletionAnswer) => void }[] = [];
  let mood: Mood = 'accept';
  let uids = 0;

  function answer(request: DeletionRequest): DeletionAnswer | Promise<DeletionAnswer> {
    judge.begins(at, request);
    if (mood === 'late') return new Promise((resolve) => late.push({ request, resolve }));
    judge.ends(request);
    return mood === 'accept' ? at.answerTo(request) : answers[mood];
  }
  const at: World = world({ services, concurrentDeletions: 2, answer });

  function putPod({ name, role, state, restarts, isBare, isSeen }: Extract<Step, { do: 'pod' }>): void {
    const ended = terminated(at.clock.now() + (restarts - 2) * 3000, restarts);
    const container = { running: running(restarts), backOff: backOff(restarts), ended }[state];
    const known = at.pods().find((each) => each.metadata.name === name)?.metadata.uid;
    uids += known === undefined ? 1 : 0;
    const options = { name, isBare, labels: { role }, uid: known ?? `uid-${uids}`, containers: [container] };
    if (isSeen) at.put(options);
    else at.putUnseen(options);
  }

  function putSlice(
    service: string,
    part: string,
    ready: readonly boolean[] | null,
    tell: (key: string) => void,
  ): void {
    const key = `${service}-${part}`;
    if (ready === null) slices.delete(key);
    else slices.set(key, { service, ready });
    const isReady = [...slices.values()].some((each) => each.service === service && each.ready.includes(true));
    judge.service(service, isReady, at.clock.monotonic());
    tell(key);
  }

  return {
    at,
    judge,
    happen(step) {
      switch (step.do) {
        case 'pod':
          return putPod(step);
        case 'remove':
          return at.remove(step.name);
        case 'slice':
          return putSlice(step.service, step.part, step.ready, (name) =>
            at.slice(
              { name, service: step.service, ready: step.ready ?? [] },
              step.ready === null ? 'DELETED' : 'MODIFIED',
            ),
          );
        case 'sliceGap':
          return putSlice(step.service, 'a', step.ready, () =>
            at.relistSlices(() => {
              for (const [name, options] of slices) at.slice({ name, ...options }, 'ADDED');
            }),
          );
        case 'relistPods':
          return at.relistPods();
        case 'jump':
          judge.clockIsSet(at);
          return at.clock.jumpWallClock(step.ms);
        case 'mood':
          mood = step.mood;
          return undefined;
        case 'answerLate':
          for (const { request, resolve } of late.splice(0)) {
            judge.ends(request);
            resolve(at.answerTo(request));
          }
          return undefined;
        case 'pass':
          return at.clock.pass(step.ms);
      }
    },
  };
}

const name = fc.constantFrom('p0', 'p1', 'p2');
const service = fc.constantFrom('etcd', 'dns');
const ready = fc.constantFrom([true], [true, false], [false], [false], [], null);
const often = fc.constantFrom(true, true, true, false);

const arbitraries = {
  pod: fc.record({
    do: fc.constant('pod'),
    name,
    role: fc.constantFrom('apiserver', 'apiserver', 'apiserver', 'web', 'database'),
    state: fc.constantFrom('running', 'backOff', 'backOff', 'ended', 'ended'),
    restarts: fc.integer({ min: 0, max: 4 }),
    isBare: often.map((value) => !value),
    isSeen: often,
  }),
  slice: fc.record({ do: fc.constant('slice'), service, part: fc.constantFrom('a', 'a', 'b'), ready }),
  sliceGap: fc.record({ do: fc.constant('sliceGap'), service, ready }),
  remove: fc.record({ do: fc.constant('remove'), name }),
  relistPods: fc.record({ do: fc.constant('relistPods') }),
  jump: fc.record({ do: fc.constant('jump'), ms: fc.constantFrom(-3_600_000, 3_600_000) }),
  mood: fc.record({
    do: fc.constant('mood'),
    mood: fc.constantFrom('accept', 'accept', 'accept', 'refuse', 'reject', 'conflict', 'late'),
  }),
  answerLate: fc.record({ do: fc.constant('answerLate') }),
  pass: fc.record({
    do: fc.constant('pass'),
    ms: fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.constantFrom(minute - 1, minute, 2 * minute)),
  }),
} as const;

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { arbitrary: arbitraries.pod, weight: 6 },
    { arbitrary: arbitraries.slice, weight: 5 },
    { arbitrary: arbitraries.pass, weight: 5 },
    ...(['sliceGap', 'remove', 'relistPods', 'jump', 'mood', 'answerLate'] as const).map((each) => ({
      arbitrary: arbitraries[each],
      weight: 1,
    })),
  ) as fc.Arbitrary<Step>,
  { minLength: 20, maxLength: 80, size: 'max' },
);
