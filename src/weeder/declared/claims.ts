import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';
import type { ObjectRef } from '@weeder/kube-runtime/events';
import type { DeclaredBy } from './declaration.ts';

/** One service that pods of a workload declare, or what is wrong with their declaration. */
export interface Claim {
  readonly workload: ObjectRef;
  /** `by`: as the newest pod has written it. */
  readonly about: { readonly service: string; by: DeclaredBy } | { readonly problem: string };
  /** Since when pods of the workload declare it, by the monotonic clock. */
  readonly since: number;
  /** A problem was reported, or it was checked whether the service exists. */
  isReviewed: boolean;
}

/** The claims of all pods. */
interface Claims {
  /**
   * A pod makes this claim, in addition to those that already do. Returns the key, as the same text for all of them,
   * and undefined if `admit` refuses a new claim.
   */
  hold(key: string, about: Claim['about'], admit: () => Claim | undefined): string | undefined;
  /** A pod no longer makes this claim. It is forgotten when no pod has made it for `keepFor`. */
  release(key: string): void;
  all(): Iterable<Claim>;
  /** Forgets everything. */
  clear(): void;
}

interface ClaimsOptions {
  readonly clock: Clock;
  /** Milliseconds; may change. */
  readonly keepFor: () => number;
  /** Called for each claim that is forgotten. */
  readonly onForgotten: (claim: Claim) => void;
}

export function createClaims({ clock, keepFor, onForgotten }: ClaimsOptions): Claims {
  const held = new Map<string, { readonly key: string; readonly claim: Claim; pods: number }>();
  /** The claims without pods, by the time since when; the earliest first. */
  const vacant = new Map<string, number>();
  let timer: TimerHandle | undefined;

  function forget(key: string): void {
    const claim = held.get(key)?.claim;
    vacant.delete(key);
    held.delete(key);
    if (claim !== undefined) onForgotten(claim);
  }

  function wait(): void {
    const [earliest] = vacant.values();
    if (earliest === undefined || timer !== undefined) return;
    timer = clock.setTimeout(forgetDue, Math.max(0, earliest + keepFor() - clock.monotonic()));
  }

  function forgetDue(): void {
    timer = undefined;
    // Another claim may be made meanwhile, or this one again.
    for (const [key, since] of vacant) {
      if (since + keepFor() > clock.monotonic()) break;
      forget(key);
    }
    wait();
  }

  return {
    hold(key, about, admit) {
      const existing = held.get(key);
      if (existing !== undefined) existing.pods += 1;
      if (existing !== undefined && 'by' in existing.claim.about && 'by' in about) existing.claim.about.by = about.by;
      const claim = existing?.claim ?? admit();
      if (claim === undefined) return undefined;
      if (existing === undefined) held.set(key, { key, claim, pods: 1 });
      vacant.delete(key);
      return existing?.key ?? key;
    },
    release(key) {
      const claim = held.get(key);
      if (claim === undefined) return;
      claim.pods -= 1;
      if (claim.pods > 0) return;
      vacant.set(key, clock.monotonic());
      wait();
    },
    *all() {
      for (const { claim } of held.values()) yield claim;
    },
    clear() {
      clock.clearTimeout(timer);
      timer = undefined;
      for (const key of [...held.keys()]) forget(key);
    },
  };
}
