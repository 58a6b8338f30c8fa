import { seededRandom } from '@weeder/embedded-cluster';
import { services, tiers, variants } from './rules.ts';

/** One change of the cluster. `place` is the index of a namespace, which is deleted and created again at times. */
export type Change =
  | { readonly what: 'pod'; readonly place: number; readonly pod: number; readonly change: PodChange }
  | { readonly what: 'service'; readonly place: number; readonly service: string; readonly change: ServiceChange }
  | { readonly what: 'namespace'; readonly place: number }
  | { readonly what: 'config'; readonly variant: number };

export type PodChange =
  | { readonly to: 'crashLoopBackOff' | 'unreported' | 'running' | 'deleted' | 'ignored' | 'notIgnored' }
  | { readonly to: 'relabelled'; readonly tier: string; readonly isExtra: boolean };

/**
 * The desired state of its slices. With several endpoints, the first one has this state, and the others are not ready.
 */
export type ServiceChange =
  | { readonly to: 'ready' | 'notReady' | 'unset' | 'deleted' | 'split' | 'replaced'; readonly endpoints: number }
  | { readonly to: 'flapping'; readonly times: number };

export const places = 8;
export const podsInPlace = 8;

/** An endless sequence of changes, the same for the same seed, whether they succeed or not. */
export function* randomChanges(seed: number): Generator<Change, never> {
  const random = seededRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const oneOf = <T>(values: readonly T[], otherwise: T): T => values[below(values.length)] ?? otherwise;

  function podChange(): PodChange {
    const roll = random();
    if (roll < 0.38) return { to: 'crashLoopBackOff' };
    if (roll < 0.58) return { to: 'unreported' };
    if (roll < 0.74) return { to: 'running' };
    if (roll < 0.8) return { to: 'deleted' };
    if (roll < 0.85) return { to: 'ignored' };
    if (roll < 0.92) return { to: 'notIgnored' };
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
    if (roll < 0.93) return { to: 'deleted', endpoints };
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

/** The duration of each fault: a minimum, and the most that is added to it. Milliseconds. */
const faultTimes = {
  /** All connections are closed. */
  disconnected: [0, 0],
  /** Connections are refused. */
  unreachable: [500, 4_500],
  /** Open connections become half-open, which weeder detects within 30 s. */
  halfOpen: [28_000, 0],
  /** Open watches deliver nothing more. */
  silentWatches: [28_000, 0],
  /** SIGSTOP of the API server. */
  paused: [500, 4_500],
  /** SIGKILL of the API server. */
  killed: [500, 4_500],
  /** 429 with Retry-After. */
  throttled: [500, 4_500],
  serverErrors: [500, 4_500],
  forbidden: [500, 4_500],
  unauthorized: [500, 4_500],
  /** Deletions are executed, but their responses are lost. */
  lostResponses: [2_000, 6_000],
  /** Watches end in the middle of a line. */
  cutLines: [1_000, 3_000],
  garbled: [1_000, 3_000],
  expired: [500, 2_500],
  slow: [2_000, 3_000],
} as const;

/** A fault of the connection between weeder and the API server, or of the API server. */
export interface Fault {
  readonly what: keyof typeof faultTimes;
  /** Its duration. */
  readonly ms: number;
  /** The time without a fault before it. */
  readonly pauseMs: number;
}

/** An endless sequence of faults, the same for the same seed. */
export function* randomFaults(seed: number): Generator<Fault, never> {
  const random = seededRandom(seed ^ 0x5eed);
  const kinds = Object.entries(faultTimes);
  for (;;) {
    const [name, [least, more]] = kinds[Math.floor(random() * kinds.length)] ?? [
      'disconnected',
      faultTimes.disconnected,
    ];
    const what = isFault(name) ? name : 'disconnected';
    const ms = Math.round(least + random() * more);
    yield { what, ms, pauseMs: Math.round(8_000 + random() * 20_000) };
  }
}

function isFault(name: string): name is Fault['what'] {
  return Object.hasOwn(faultTimes, name);
}
