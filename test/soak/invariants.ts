import type { Attempt } from './audit.ts';
import type { PodHistory } from './history.ts';
import { dueSince, type Evidence, reasonNotToDelete } from './oracle.ts';
import { isSelected } from './rules.ts';
import { seconds, timeOfDay } from './times.ts';

/** A violated invariant, with the evidence. */
export interface Violation {
  readonly invariant: string;
  readonly at: number;
  readonly what: string;
  readonly evidence: readonly string[];
}

/** Checks what weeder does, by the audit log and etcd. */
export type Judge = ReturnType<typeof createJudge>;

/** The time in which a pod that is due has to be deleted. Milliseconds. */
const deletionDeadline = seconds(5);

/** The invariants that are checked by the audit log and etcd. */
export const judged = {
  preconditions: 'every deletion has preconditions on uid and resourceVersion',
  known: 'every deleted pod existed in that version',
  allowed: 'weeder requests only allowed deletions',
  once: 'no pod is deleted twice',
  writes: 'weeder writes only Events, and deletes only pods',
  due: `a pod that is due is deleted within ${deletionDeadline / 1000} s`,
} as const;

/** The maximum number of violations of an invariant that are shown with evidence. */
const maxShown = 20;

export function createJudge(evidence: Evidence) {
  const violations: Violation[] = [];
  const delays: number[] = [];
  const deleted = new Set<string>();
  const overdue = new Set<string>();
  let deletions = 0;
  let attempts = 0;

  function violated(invariant: string, at: number, what: string, pod?: PodHistory): void {
    const alreadyReported = violations.filter((each) => each.invariant === invariant).length;
    violations.push({
      invariant,
      at,
      what,
      evidence: alreadyReported < maxShown && pod ? historyOf(evidence, pod) : [],
    });
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
    const why = reasonNotToDelete(evidence, pod, version, at);
    if (why !== undefined) violated(judged.allowed, at, `${what}: ${why}`, pod);
    if (status >= 300) return;
    deletions += 1;
    if (deleted.has(uid)) violated(judged.once, at, what, pod);
    deleted.add(uid);
    const due = dueSince(evidence, pod, version, at);
    if (due !== undefined) delays.push(at - due);
    pod.deletedByWeederAt ??= at;
  }

  return {
    violations,
    /** The times from when a pod was due until its deletion. Milliseconds. */
    delays,
    get deletions() {
      return deletions;
    },
    get attempts() {
      return attempts;
    },
    /** Checks a write of weeder. The history has to contain all that etcd stored before it. */
    attempt(attempt: Attempt) {
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
    /** Finds pods that should have been deleted. */
    checkOverdue(now: number) {
      for (const pod of evidence.history.pods.values()) {
        const version = pod.versions.at(-1);
        if (pod.deletedAt !== undefined || version === undefined) continue;
        const due = dueSince(evidence, pod, version, now);
        const id = `${pod.uid} ${version.revision}`;
        if (due === undefined || now - due < deletionDeadline || overdue.has(id)) continue;
        overdue.add(id);
        const what = `${pod.namespace}/${pod.name} (uid ${pod.uid}) was due at ${timeOfDay(due)}`;
        violated(judged.due, now, what, pod);
      }
    },
  };
}

/** The history of a pod and of the services that affect it. */
function historyOf({ history, configs, disturbances }: Evidence, pod: PodHistory): string[] {
  const versions = pod.versions.slice(-12).map((version) => {
    const { revision, at, labels, looping, isIgnored, hasController, isTerminating } = version;
    const marks = [isIgnored && 'ignored', !hasController && 'bare', isTerminating && 'terminating'].filter(Boolean);
    const state = [looping ?? 'healthy', ...marks].join(', ');
    return { at, text: `pod version ${revision}: ${state}, labels ${JSON.stringify(labels)}` };
  });
  const rules = configs.flatMap(({ rules: each }) =>
    each.filter((rule) => pod.versions.some(({ labels }) => isSelected(labels, rule))),
  );
  const affectsPod = (name: string) =>
    rules.some(({ service, isEverywhere }) =>
      isEverywhere ? name.endsWith(`/${service}`) : name === `${pod.namespace}/${service}`,
    );
  const services = [...history.readiness]
    .filter(([name]) => affectsPod(name))
    .flatMap(([name, changes]) =>
      changes.slice(-6).map(({ at, isReady }) => ({ at, text: `service ${name} is ${isReady ? '' : 'not '}ready` })),
    );
  const others = [
    ...configs.slice(-3).map(({ at }) => ({ at, text: 'config changed' })),
    ...disturbances
      .slice(-3)
      .flatMap(({ from, to }) => [
        { at: from, text: 'disturbance begins' },
        ...(to === undefined ? [] : [{ at: to, text: 'disturbance ends' }]),
      ]),
    ...(pod.deletedAt === undefined ? [] : [{ at: pod.deletedAt, text: 'pod deleted' }]),
  ];
  return [...versions, ...services, ...others]
    .sort((one, other) => one.at - other.at)
    .map(({ at, text }) => `${timeOfDay(at)} ${text}`);
}
