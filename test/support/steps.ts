import fc from 'fast-check';
import type { ServiceConfig } from '../../src/config/config.ts';
import { apiserver, minute, serviceConfig } from './simulation.ts';

/** One thing that happens, as plain data, so that a counterexample can be read. Milliseconds. */
export type Step =
  | {
      readonly do: 'pod';
      readonly namespace: string;
      readonly name: string;
      readonly role: string;
      readonly is: 'running' | 'backOff' | 'ended' | 'ending';
      readonly restarts: number;
      /** How long ago it finished, by its node's clock. */
      readonly finished: number;
      readonly protection: 'none' | 'bare' | 'ignored' | 'mirror';
      readonly isSuccessor: boolean;
      readonly isSeen: boolean;
    }
  | { readonly do: 'remove'; readonly namespace: string; readonly name: string; readonly isSeen: boolean }
  | ({ readonly do: 'slice' } & SliceChange)
  /** The slices are read again, after this change, which nobody saw. */
  | ({ readonly do: 'sliceGap' } & SliceChange)
  | { readonly do: 'relistPods' }
  /** How the backing pods answer when they are asked since when the service is ready; ago: milliseconds. */
  | { readonly do: 'dating'; readonly how: 'known' | 'unknown' | 'fails' | 'late'; readonly ago: number }
  | { readonly do: 'jump'; readonly ms: number }
  | { readonly do: 'mood'; readonly mood: Mood }
  /** Whoever waits for an answer gets one. */
  | { readonly do: 'answerLate'; readonly mood: Exclude<Mood, 'late'> }
  /** Weeder ends, whatever it was doing, and a new one begins after a while. */
  | { readonly do: 'restart'; readonly after: number }
  | { readonly do: 'pass'; readonly ms: number };

export interface SliceChange {
  readonly namespace: string;
  readonly service: string;
  readonly part: string;
  readonly ready: readonly boolean[] | null;
}

/** What the API server says to deletions; `late`: nothing until it is told to. */
export type Mood = 'accept' | 'refuse' | 'tooMany' | 'reject' | 'conflict' | 'late';

/** Everything that one story is made of. */
export interface Script {
  readonly services: readonly ServiceConfig[];
  readonly concurrentDeletions: number;
  readonly isDryRun: boolean;
  readonly steps: readonly Step[];
}

const web = { matchExpressions: [{ key: 'role', operator: 'In' as const, values: ['web'] }] };

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
  return rules.map((chosen) => serviceConfig({ ...chosen, ...part }));
}

const namespace = fc.constantFrom('a', 'a', 'a', 'b');
const name = fc.constantFrom('p0', 'p1', 'p2');
const sliceChange = {
  namespace,
  service: fc.constantFrom('etcd', 'dns'),
  part: fc.constantFrom('v4', 'v4', 'v6'),
  ready: fc.constantFrom([true], [true], [true, false], [false], [false], [], null),
};
const often = fc.constantFrom(true, true, true, true, false);

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('pod' as const),
      namespace,
      name,
      role: fc.constantFrom('apiserver', 'apiserver', 'apiserver', 'web', 'database'),
      is: fc.constantFrom('running', 'backOff', 'backOff', 'backOff', 'ended', 'ended', 'ended', 'ending'),
      restarts: fc.constantFrom(0, 1, 2, 2, 3),
      finished: fc.constantFrom(0, 0, 500, 3000, -3000),
      protection: fc.constantFrom('none', 'none', 'none', 'none', 'none', 'bare', 'ignored', 'mirror'),
      isSuccessor: often.map((value) => !value),
      isSeen: often,
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('slice' as const), ...sliceChange }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.constantFrom(8000, 10_000, minute - 1, minute, 2 * minute)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sliceGap' as const), ...sliceChange }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), namespace, name, isSeen: often }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('relistPods' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('dating' as const),
      how: fc.constantFrom('known', 'known', 'known', 'unknown', 'fails'),
      ago: fc.constantFrom(0, 3000, 9000, minute - 1, minute, 10 * minute, -5000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('jump' as const), ms: fc.constantFrom(-3_600_000, 3_600_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('mood' as const),
      mood: fc.constantFrom('accept', 'accept', 'accept', 'refuse', 'refuse', 'tooMany', 'reject', 'conflict', 'late'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('answerLate' as const),
      mood: fc.constantFrom('accept', 'accept', 'refuse', 'reject', 'conflict'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), after: fc.constantFrom(0, 1000, 30_000) }) },
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
    steps: fc.array(anyStep, { minLength: 12, maxLength: 50, size: 'max' }),
  })
  .map((script) => ({ ...script, [fc.toStringMethod]: () => printed(script) }));

function printed({ services, steps, ...rest }: Script): string {
  return ['', JSON.stringify(rest), ...services.map(lineOf), ...steps.map(lineOf)].join('\n    ');
}

/** An object as `key=value` pairs, those without a value left out. */
function lineOf(object: object): string {
  const pairs = Object.entries(object).filter(([, value]) => value !== undefined);
  return pairs.map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' ');
}
