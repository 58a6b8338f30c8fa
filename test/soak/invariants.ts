import type { Attempt } from './audit.ts';
import type { PodHistory } from './history.ts';
import { dueSince, type Evidence, objection } from './oracle.ts';
import { isSelected } from './rules.ts';
import { seconds, timeOfDay } from './times.ts';

/** Something that must never be, with what shows it. */
export interface Violation {
  readonly invariant: string;
  readonly at: number;
  readonly what: string;
  readonly evidence: readonly string[];
}

/** Judges what weeder does, as the audit log and etcd tell it. */
export interface Judge {
  /** A write of weeder's; all that etcd knows until then has to be known. */
  attempt(attempt: Attempt): void;
  /** Looks for pods that should be gone. */
  look(now: number): void;
  readonly violations: readonly Violation[];
  /** From the moment at which each pod was due to its deletion. Milliseconds. */
  readonly delays: readonly number[];
  readonly deletions: number;
  readonly attempts: number;
}

/** By when a pod that is due has to be gone. */
const patience = seconds(5);

/** What is asserted, by the audit log and etcd. */
export const judged = {
  preconditions: 'every deletion insists on uid and resourceVersion',
  known: 'what is deleted existed in that version',
  allowed: 'only what may be deleted is asked to be deleted',
  once: 'no pod is deleted twice',
  writes: 'nothing but Events is written, and nothing but pods deleted',
  due: `what is due is deleted within ${patience / 1000} s`,
} as const;

/** A fault that repeats itself is shown so often. */
const mostShown = 20;

export function createJudge(evidence: Evidence): Judge {
  const violations: Violation[] = [];
  const delays: number[] = [];
  const deleted = new Set<string>();
  const overdue = new Set<string>();
  let deletions = 0;
  let attempts = 0;

  function violated(invariant: string, at: number, what: string, pod?: PodHistory): void {
    const told = violations.filter((each) => each.invariant === invariant).length;
    violations.push({ invariant, at, what, evidence: told < mostShown && pod ? historyOf(evidence, pod) : [] });
  }

  function judgeDeletion(attempt: Attempt): void {
    const { at, uid, resourceVersion, status, namespace, name } = attempt;
    const what = `${attempt.verb} ${attempt.resource} ${namespace}/${name} (uid ${uid}, version ${resourceVersion}) → ${status}`;
    if (uid === undefined || resourceVersion === undefined || name === '') {
      violated(judged.preconditions, at, what);
      return;
    }
    const pod = evidence.history.pods.get(uid);
    const version = pod?.versions.find(({ revision }) => String(revision) === resourceVersion);
    if (pod === undefined || version === undefined) {
      violated(judged.known, at, what, pod);
      return;
    }
    const why = objection(evidence, pod, version, at);
    if (why !== undefined) violated(judged.allowed, at, `${what}: ${why}`, pod);
    if (status >= 300) return;
    deletions += 1;
    if (deleted.has(uid)) violated(judged.once, at, what, pod);
    deleted.add(uid);
    const due = dueSince(evidence, pod, version, at);
    if (due !== undefined) delays.push(at - due);
  }

  return {
    violations,
    delays,
    get deletions() {
      return deletions;
    },
    get attempts() {
      return attempts;
    },
    attempt(attempt) {
      if (attempt.resource === 'events' && (attempt.verb === 'create' || attempt.verb === 'patch')) return;
      const isDeletion = attempt.resource === 'pods' && attempt.verb === 'delete';
      const isEviction = attempt.resource === 'pods/eviction' && attempt.verb === 'create';
      if (!isDeletion && !isEviction) {
        const what = `${attempt.verb} ${attempt.resource} ${attempt.namespace}/${attempt.name} → ${attempt.status}`;
        violated(judged.writes, attempt.at, what);
        return;
      }
      attempts += 1;
      if (!attempt.isUnread) judgeDeletion(attempt);
    },
    look(now) {
      for (const pod of evidence.history.pods.values()) {
        const version = pod.versions.at(-1);
        if (pod.goneAt !== undefined || version === undefined) continue;
        const due = dueSince(evidence, pod, version, now);
        const id = `${pod.uid} ${version.revision}`;
        if (due === undefined || now - due < patience || overdue.has(id)) continue;
        overdue.add(id);
        const what = `${pod.namespace}/${pod.name} (uid ${pod.uid}) was due at ${timeOfDay(due)}`;
        violated(judged.due, now, what, pod);
      }
    },
  };
}

/** What became of a pod, and of the services of its namespace. */
function historyOf({ history, configs, disturbances }: Evidence, pod: PodHistory): string[] {
  const versions = pod.versions.slice(-12).map((each) => {
    const { revision, at, labels, looping, isIgnored, hasController, isTerminating } = each;
    const marks = [isIgnored && 'ignored', !hasController && 'bare', isTerminating && 'terminating'].filter(Boolean);
    const state = [looping ?? 'well', ...marks].join(', ');
    return { at, text: `pod version ${revision}: ${state}, labels ${JSON.stringify(labels)}` };
  });
  const rules = configs.flatMap(({ rules: each }) =>
    each.filter((rule) => pod.versions.some(({ labels }) => isSelected(labels, rule))),
  );
  const concerns = (name: string) =>
    rules.some(({ service, isEverywhere }) =>
      isEverywhere ? name.endsWith(`/${service}`) : name === `${pod.namespace}/${service}`,
    );
  const services = [...history.readiness]
    .filter(([name]) => concerns(name))
    .flatMap(([name, changes]) =>
      changes.slice(-6).map(({ at, isReady }) => ({ at, text: `service ${name} is ${isReady ? '' : 'not '}ready` })),
    );
  const others = [
    ...configs.slice(-3).map(({ at }) => ({ at, text: 'another config' })),
    ...disturbances
      .slice(-3)
      .flatMap(({ from, to }) => [
        { at: from, text: 'a disturbance begins' },
        ...(to === undefined ? [] : [{ at: to, text: 'the disturbance ends' }]),
      ]),
    ...(pod.goneAt === undefined ? [] : [{ at: pod.goneAt, text: 'the pod is gone' }]),
  ];
  return [...versions, ...services, ...others]
    .sort((one, other) => one.at - other.at)
    .map(({ at, text }) => `${timeOfDay(at)} ${text}`);
}
