import fc from 'fast-check';
import type { ServiceConfig } from '../../../src/config/config.ts';
import type { Script, Step } from '../steps.ts';
import { apiserver, minute, serviceConfig } from '../world/simulation.ts';

const web = { matchExpressions: [{ key: 'role', operator: 'In' as const, values: ['web'] }] };

/** A service whose dependants are elsewhere has a namespace. */
function scopeOf({ namespaces = 'all', dependantNamespaces = 'same' }: Partial<ServiceConfig>): Partial<ServiceConfig> {
  return namespaces === 'all' && dependantNamespaces !== 'same' ? { namespaces: ['a', 'b'] } : {};
}

/** The rules of one service. */
function rulesOf(part: Pick<ServiceConfig, 'name' | 'podSelectors'>): fc.Arbitrary<ServiceConfig> {
  const rules: fc.Arbitrary<Partial<ServiceConfig>> = fc.record({
    namespaces: fc.constantFrom('all' as const, 'all' as const, ['a']),
    watchDuration: fc.constantFrom(10_000, minute, 2 * minute),
    dependantNamespaces: fc.constantFrom('same' as const, 'same' as const, 'all' as const, ['b']),
    onStart: fc.constantFrom('recent', 'recent', 'recent', 'always', 'never'),
    whileNotReady: fc.constantFrom('hold', 'hold', 'delete'),
    barePods: fc.constantFrom('keep', 'keep', 'delete'),
    deletion: fc.constantFrom('delete', 'delete', 'evict'),
    gracePeriodSeconds: fc.constantFrom(undefined, 7),
  });
  return rules.map((chosen) => serviceConfig({ ...chosen, ...scopeOf(chosen), ...part }));
}

const namespace = fc.constantFrom('a', 'a', 'a', 'b');
const name = fc.constantFrom('p0', 'p0', 'p1', 'p2');
const sliceChange = {
  namespace,
  service: fc.constantFrom('etcd', 'dns'),
  part: fc.constantFrom('v4', 'v4', 'v6'),
  ready: fc.constantFrom([true], [true], [true, false], [false, true], [false], [false], [], null),
};
const often = fc.constantFrom(true, true, true, true, false);

const anyPod = fc.record({
  do: fc.constant('pod' as const),
  namespace,
  name,
  role: fc.constantFrom('apiserver', 'apiserver', 'apiserver', 'web', 'database'),
  type: fc.constantFrom('running', 'backOff', 'backOff', 'backOff', 'ended', 'ended', 'ended', 'ending'),
  restarts: fc.constantFrom(0, 1, 2, 2, 3),
  finished: fc.constantFrom(0, 0, 500, 3000, -3000),
  protection: fc.constantFrom('none', 'none', 'none', 'none', 'none', 'bare', 'ignored', 'mirror'),
  isSuccessor: often.map((value) => !value),
  isSeen: often,
});

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: anyPod },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('slice' as const), ...sliceChange }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.constantFrom(8000, 10_000, minute - 1, minute, 2 * minute)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('sliceGap' as const),
      ...sliceChange,
      outageEnded: fc.constantFrom(undefined, undefined, 0, 500, 5000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('touch' as const), namespace, name, isSeen: often }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), namespace, name, isSeen: often }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('relistPods' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('readyTime' as const),
      how: fc.constantFrom('true', 'true', 'true', 'ago', 'ago', 'unknown', 'fails'),
      ago: fc.constantFrom(0, 3000, 9000, minute - 1, minute, 10 * minute, -5000),
      isLate: often.map((value) => !value),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sleep' as const), ms: fc.constantFrom(1500, 9000, minute) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('jump' as const), ms: fc.constantFrom(-3_600_000, 3_600_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('respond' as const),
      response: fc.constantFrom(
        'accept',
        'accept',
        'accept',
        'refuse',
        'refuse',
        'tooMany',
        'reject',
        'conflict',
        'late',
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('answerLate' as const),
      response: fc.constantFrom('accept', 'accept', 'refuse', 'reject', 'conflict'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), after: fc.constantFrom(0, 1000, 30_000) }) },
);

const home = 'a';
const crashLooping = anyPod.map((step) => ({ ...step, namespace: home, role: 'apiserver', isSeen: true }));
const slices = (service: string, ready: boolean) => ({ namespace: home, service, part: 'v4', ready: [ready] });
const upAndDown = (service: string, ready: boolean): Step => ({ do: 'slice', ...slices(service, ready) });
const response = (how: 'late' | 'refuse'): Step => ({ do: 'respond', response: how });
const answer = fc.constantFrom('accept' as const, 'refuse' as const, 'reject' as const);

/** Rare combinations: a few steps in a row, of which some may be left out. */
const scenes: readonly (readonly fc.Arbitrary<Step>[])[] = [
  // Three wait behind one that is in flight, and the one in the middle is updated.
  [
    fc.constant(upAndDown('etcd', true)),
    fc.constant(response('late')),
    ...['p0', 'p1', 'p2'].flatMap((name) => [
      crashLooping.map((step) => ({ ...step, name, type: 'backOff' as const, protection: 'none' as const })),
      fc.constant<Step>({ do: 'pass', ms: 10 }),
    ]),
    fc.constant<Step>({ do: 'touch', namespace: home, name: 'p1', isSeen: true }),
    answer.map((how): Step => ({ do: 'answerLate', response: how })),
  ],
  // Two windows select a bare pod, and one of them releases it.
  [
    fc.constant(upAndDown('etcd', true)),
    fc.constant(upAndDown('dns', true)),
    fc.constantFrom(response('late'), response('refuse')),
    crashLooping.map((step) => ({ ...step, protection: 'bare' as const })),
    fc.constantFrom('etcd', 'dns').map((service) => upAndDown(service, false)),
    answer.map((how): Step => ({ do: 'answerLate', response: how })),
    fc.constant<Step>({ do: 'pass', ms: 3000 }),
  ],
  // A gap hides a recovery within an open window, and then the service goes down.
  [
    fc.constant(upAndDown('etcd', true)),
    fc.constant<Step>({ do: 'pass', ms: 3000 }),
    fc.constant<Step>({ ...slices('etcd', true), do: 'sliceGap', outageEnded: 500 }),
    fc.constant(upAndDown('etcd', false)),
    crashLooping,
  ],
];

const anyScene = fc.oneof(
  ...scenes.map((steps) =>
    fc
      .tuple(...steps.map((step) => fc.option(step, { nil: undefined, freq: 12 })))
      .map((found) => found.filter((step) => step !== undefined)),
  ),
);

/** A story that fails shrinks to few steps, and prints as one line a service and a step. */
export const scripts: fc.Arbitrary<Script> = fc
  .record({
    services: fc.tuple(
      rulesOf({ name: 'etcd', podSelectors: [apiserver] }),
      rulesOf({ name: 'dns', podSelectors: [apiserver, web] }),
    ),
    concurrentDeletions: fc.constantFrom(1, 2, 32, 32),
    isDryRun: fc.integer({ min: 0, max: 9 }).map((value) => value === 9),
    steps: fc.array(
      fc.oneof({ weight: 40, arbitrary: anyStep.map((step) => [step]) }, { weight: 1, arbitrary: anyScene }),
      { minLength: 12, maxLength: 50, size: 'max' },
    ),
  })
  .map((script) => ({ ...script, steps: script.steps.flat() }))
  .map((script) => ({ ...script, [fc.toStringMethod]: () => printed(script) }));

function printed({ services, steps, ...rest }: Script): string {
  return ['', JSON.stringify(rest), ...services.map(lineOf), ...steps.map(lineOf)].join('\n    ');
}

/** An object as `key=value` pairs, without undefined values. */
function lineOf(object: object): string {
  const pairs = Object.entries(object).filter(([, value]) => value !== undefined);
  return pairs.map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' ');
}
