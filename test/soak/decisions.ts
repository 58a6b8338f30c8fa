import { seededRandom } from '@weeder/embedded-cluster';
import { services, tiers, variants } from './rules.ts';

/** One change of the world. `place` is one of so many namespaces that come and go. */
export type Deed =
  | { readonly what: 'pod'; readonly place: number; readonly pod: number; readonly change: PodChange }
  | { readonly what: 'service'; readonly place: number; readonly service: string; readonly change: ServiceChange }
  | { readonly what: 'namespace'; readonly place: number }
  | { readonly what: 'config'; readonly variant: number };

export type PodChange =
  | { readonly to: 'crashLoopBackOff' | 'silent' | 'running' | 'deleted' | 'ignored' | 'heeded' }
  | { readonly to: 'relabelled'; readonly tier: string; readonly isExtra: boolean };

/** What its slices are to say; of several endpoints, the first is as it says, the others are not ready. */
export type ServiceChange =
  | { readonly to: 'ready' | 'notReady' | 'unset' | 'gone' | 'split' | 'replaced'; readonly endpoints: number }
  | { readonly to: 'flapping'; readonly times: number };

export const places = 8;
export const podsInPlace = 8;

/** Deeds without end, the same for the same seed, whatever becomes of them. */
export function* deeds(seed: number): Generator<Deed, never> {
  const random = seededRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const oneOf = <T>(values: readonly T[], otherwise: T): T => values[below(values.length)] ?? otherwise;

  function podChange(): PodChange {
    const roll = random();
    if (roll < 0.38) return { to: 'crashLoopBackOff' };
    if (roll < 0.58) return { to: 'silent' };
    if (roll < 0.74) return { to: 'running' };
    if (roll < 0.8) return { to: 'deleted' };
    if (roll < 0.85) return { to: 'ignored' };
    if (roll < 0.92) return { to: 'heeded' };
    return { to: 'relabelled', tier: oneOf(tiers, 'a'), isExtra: random() < 0.3 };
  }

  function serviceChange(): ServiceChange {
    const roll = random();
    const endpoints = 1 + below(3);
    if (roll < 0.4) return { to: 'ready', endpoints };
    if (roll < 0.7) return { to: 'notReady', endpoints };
    if (roll < 0.75) return { to: 'unset', endpoints };
    if (roll < 0.82) return { to: 'split', endpoints };
    if (roll < 0.88) return { to: 'replaced', endpoints };
    if (roll < 0.93) return { to: 'gone', endpoints };
    return { to: 'flapping', times: 2 + below(8) };
  }

  for (;;) {
    const roll = random();
    const place = below(places);
    if (roll < 0.7) yield { what: 'pod', place, pod: below(podsInPlace), change: podChange() };
    else if (roll < 0.98) yield { what: 'service', place, service: oneOf(services, 'db-a'), change: serviceChange() };
    else if (roll < 0.993) yield { what: 'namespace', place };
    else yield { what: 'config', variant: below(variants.length) };
  }
}

/** How long each fault lasts: at least so many milliseconds, and at most so many more. */
const faultTimes = {
  /** Every connection breaks. */
  cut: [0, 0],
  /** Nothing listens. */
  away: [500, 4_500],
  /** What is open is half-open from now on, which is noticed within 30 s. */
  frozen: [28_000, 0],
  /** The watches that are open bring nothing more. */
  mute: [28_000, 0],
  /** SIGSTOP of the API server. */
  paused: [500, 4_500],
  /** SIGKILL of the API server. */
  killed: [500, 4_500],
  /** 429 with Retry-After. */
  throttled: [500, 4_500],
  broken: [500, 4_500],
  forbidden: [500, 4_500],
  unauthorized: [500, 4_500],
  /** Deletions are done, and nobody hears of it. */
  lostAnswers: [2_000, 6_000],
  /** Lines of watches end in their middle. */
  cutLines: [1_000, 3_000],
  garbled: [1_000, 3_000],
  expired: [500, 2_500],
  slow: [2_000, 3_000],
} as const;

/** What is done to the way between weeder and the API server, or to this server; for so many milliseconds. */
export interface Fault {
  readonly what: keyof typeof faultTimes;
  readonly ms: number;
  /** Before it begins. */
  readonly calmMs: number;
}

/** Faults without end, the same for the same seed. */
export function* faults(seed: number): Generator<Fault, never> {
  const random = seededRandom(seed ^ 0x5eed);
  const kinds = Object.entries(faultTimes);
  for (;;) {
    const [name, [least, more]] = kinds[Math.floor(random() * kinds.length)] ?? ['cut', faultTimes.cut];
    const what = isFault(name) ? name : 'cut';
    const ms = Math.round(least + random() * more);
    yield { what, ms, calmMs: Math.round(8_000 + random() * 20_000) };
  }
}

function isFault(name: string): name is Fault['what'] {
  return Object.hasOwn(faultTimes, name);
}
