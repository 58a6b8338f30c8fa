import type { Clock } from '@weeder/kube-runtime/base';
import type { RestartConfig } from '../../config/restart.ts';
import { referringKinds, sharingKinds } from '../kinds/kinds.ts';
import { type WorkloadRef, workloadKey } from '../references/refs.ts';
import { settingsFor } from '../sources/managed.ts';
import type { ReadStream } from '../sources/restartStreamPlan.ts';
import type { WorkloadListener, WorkloadUpdate } from './workloadSinks.ts';

/**
 * At the start, workloads of a kind that shares its template wait this long for those that may name them. Nothing tells
 * whether the API server serves such a kind at all. Milliseconds.
 */
export const longestHold = 10_000;

/** Receives the workloads with the templates that count for them. */
interface Receiver extends Pick<WorkloadListener, 'take' | 'remove'> {
  /** The workloads of this stream may be managed from now on. */
  streamRead?(stream: ReadStream): void;
}

interface SharedTemplates extends Required<Receiver> {
  /** The rules that select the workloads have changed. */
  configChanged(): void;
  /** Whether a workload, which its stream has delivered, waits for those that may name it. */
  isHeld(workload: WorkloadRef): boolean;
  start(clock: Clock): void;
  stop(): void;
}

interface SharedTemplatesOptions {
  readonly config: () => RestartConfig;
  /** Whether the stream of the workload's kind in its namespace has been read. */
  readonly hasReadWorkload: (workload: Pick<WorkloadRef, 'kind' | 'namespace'>) => boolean;
  /** The process has run before: no workload waits at its start. */
  readonly isContinued?: boolean | undefined;
  readonly receiver: Receiver;
}

/**
 * Workloads of which one has the pod template of the other: a Rollout with `workloadRef` is passed on with the template
 * of its Deployment, whichever of the two comes or changes first, and not before both are known. As long as the Rollout
 * is managed, the Deployment is not: one of them is restarted, not both.
 */
export function createSharedTemplates(options: SharedTemplatesOptions): SharedTemplates {
  const { config, hasReadWorkload, isContinued = false, receiver } = options;
  /** As their streams delivered them: the workloads that share their template, and those that name one. */
  const delivered = new Map<string, WorkloadUpdate>();
  /** By workload: those that name it. */
  const users = new Map<string, Set<string>>();
  let isStarting = !isContinued;
  let hasHeld = false;
  let cancelHold = () => {};

  const isManaged = (update: WorkloadUpdate) => settingsFor(config(), update.summary) !== undefined;
  const usersOf = (id: string) => [...(users.get(id) ?? [])];

  /** Undefined: its template is not known. */
  function completed(id: string, update: WorkloadUpdate): WorkloadUpdate | undefined {
    const { templateFrom } = update.summary;
    if (templateFrom !== undefined) {
      const template = delivered.get(workloadKey(templateFrom));
      return template && withTemplate(update, template);
    }
    const user = usersOf(id)
      .flatMap((each) => delivered.get(each) ?? [])
      .find(isManaged);
    return user === undefined ? update : { ...update, summary: { ...update.summary, templateFor: user.summary.ref } };
  }

  function pass(id: string): void {
    const update = delivered.get(id);
    if (update === undefined) return;
    const whole = completed(id, update);
    if (whole === undefined) receiver.remove(id);
    else receiver.take(whole);
  }

  /** Returns the workloads that this one named before, and names now. */
  function name(id: string, now: WorkloadRef | undefined): ReadonlySet<string> {
    const before = delivered.get(id)?.summary.templateFrom;
    const [left, joined] = [before, now].map((ref) => (ref === undefined ? [] : [workloadKey(ref)]));
    for (const each of left ?? []) {
      const others = users.get(each);
      others?.delete(id);
      if (others?.size === 0) users.delete(each);
    }
    for (const each of joined ?? []) users.set(each, (users.get(each) ?? new Set()).add(id));
    return new Set([...(left ?? []), ...(joined ?? [])]);
  }

  function release({ namespace, objectName }: Omit<ReadStream, 'kind'>): void {
    if (hasHeld) for (const kind of sharingKinds) receiver.streamRead?.({ kind, namespace, objectName });
  }

  function endHold(): void {
    isStarting = false;
    release({ namespace: undefined, objectName: undefined });
  }

  return {
    take(update) {
      const { ref, templateFrom } = update.summary;
      const id = workloadKey(ref);
      const named = name(id, templateFrom);
      if (templateFrom === undefined && update.summary.kind.sharesTemplate !== true) {
        delivered.delete(id);
        receiver.take(update);
      } else delivered.set(id, update);
      for (const each of [id, ...named, ...usersOf(id)]) pass(each);
    },
    remove(id) {
      const named = name(id, undefined);
      delivered.delete(id);
      receiver.remove(id);
      for (const each of [...named, ...usersOf(id)]) pass(each);
    },
    streamRead(stream) {
      receiver.streamRead?.(stream);
      if (referringKinds(config().workloadKinds).includes(stream.kind)) release(stream);
    },
    configChanged() {
      for (const id of users.keys()) pass(id);
    },
    isHeld({ kind, namespace }) {
      if (!isStarting || !sharingKinds.includes(kind)) return false;
      const isUnread = (each: string) => !hasReadWorkload({ kind: each, namespace });
      const isHeld = referringKinds(config().workloadKinds).some(isUnread);
      hasHeld ||= isHeld;
      return isHeld;
    },
    start(clock) {
      const timer = clock.setTimeout(endHold, longestHold);
      cancelHold = () => clock.clearTimeout(timer);
    },
    stop() {
      cancelHold();
    },
  };
}

function withTemplate(update: WorkloadUpdate, template: WorkloadUpdate): WorkloadUpdate {
  const { templateFrom: _, ...summary } = update.summary;
  const { selector, templateHash, templateAnnotation, normalPause, otherTool } = template.summary;
  return {
    ...update,
    summary: {
      ...summary,
      ...{ selector: summary.selector ?? selector, templateHash, templateAnnotation },
      normalPause: Math.max(summary.normalPause, normalPause),
      otherTool: summary.isOptedIn === undefined ? (summary.otherTool ?? otherTool) : undefined,
    },
    uses: template.uses,
  };
}
