import { type JsonObject, numberOf, objectOf, textOf, timeOf } from '@weeder/kube-runtime/base';
import type { LabelSelector } from '@weeder/kube-runtime/objects';
import {
  apiVersionIn,
  controllerOf,
  type Identity,
  identityOf,
  isWorkloadKind,
  kindIn,
  nameIn,
  shortTextIn,
  trueConditions,
} from '@weeder/kube-runtime/objects';
import { z } from 'zod';
import type { OtherKind } from '../../config/restart.ts';
import { restartMarks } from '../../controller/restartMarks.ts';
import { at, type Kind, type UpdateStrategy } from '../kinds/kind.ts';
import { kindNamed } from '../kinds/kinds.ts';
import type { WorkloadStatus } from '../kinds/workloadStatus.ts';
import { alsoDependsOn } from './annotations.ts';
import { type Emptied, readEmptied } from './emptied.ts';
import { readLabelSelector, readTexts } from './labelSelector.ts';
import { normalPauseOf } from './normalPause.ts';
import { type OtherTool, otherToolOf } from './otherTools.ts';
import { annotationsOf, podTemplateOf, templateAnnotationOf, templateHashOf } from './podTemplate.ts';
import { quoted, type WorkloadRef } from './refs.ts';

/** Annotations on a workload. `kubectl rollout history` shows `changeCause` for a revision. */
export const workloadAnnotations = {
  state: restartMarks.state,
  optIn: 'weeder.dev/restart-on-change',
  pausedUntil: 'weeder.dev/paused-until',
  changeCause: 'kubernetes.io/change-cause',
  emptied: restartMarks.emptied,
} as const;

/** What decides whether a Job may be recreated. */
interface JobSummary {
  /** The Job has succeeded or failed, or is about to. */
  readonly isOver: boolean;
  /**
   * The controller that created the Job and would create it again, such as `CronJob nightly`; undefined: there is none.
   */
  readonly creator: string | undefined;
  /** The external controller that runs the Job (`spec.managedBy`); undefined: Kubernetes' own. */
  readonly managedBy: string | undefined;
}

/** Everything that weeder stores about a workload. Pod templates may be long, and are not stored. */
export interface WorkloadSummary {
  readonly ref: WorkloadRef;
  readonly kind: Kind;
  readonly uid: string;
  readonly resourceVersion: string;
  /**
   * Raised by each change of the spec, such as a scaling; for a Deployment also by an annotation. So only
   * `templateHash` shows whether the template has changed.
   */
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  /** `weeder.dev/restart-on-change`; undefined: it is not set, or is neither true nor false. */
  readonly isOptedIn: boolean | undefined;
  /** The error in that annotation, in one sentence; undefined if there is none. */
  readonly optInError: string | undefined;
  /** Undefined: no annotation of Reloader or wave decides about it, or its own annotation of weeder does. */
  readonly otherTool: OtherTool | undefined;
  /** `weeder.dev/also-depends-on`, as it was written. */
  readonly alsoDependsOn: string | undefined;
  /** `weeder.dev/paused-until`: epoch milliseconds. */
  readonly pausedUntil: number | 'unreadable' | undefined;
  /** `weeder.dev/dependencies`, as it was written; `decodeState` parses it. */
  readonly stateText: string | undefined;
  readonly changeCause: string | undefined;
  /** The workload that has its template, which is not known yet. */
  readonly templateFrom?: WorkloadRef;
  /** The managed workload that is restarted in its place, because both have one template. */
  readonly templateFor?: WorkloadRef;
  readonly templateHash: string;
  /** The hash that the latest restart wrote to the template. */
  readonly templateAnnotation: string | undefined;
  /** By `restartTimes`: the restart that was requested last, and the last one that has ended. Epoch milliseconds. */
  readonly restartAt: number | undefined;
  readonly restartedAt: number | undefined;
  /** Selects its pods; undefined for a CronJob, whose pods belong to its Jobs, and for `templateFrom`. */
  readonly selector: LabelSelector | undefined;
  /** It is paused: it rolls nothing out until it is resumed. */
  readonly isPaused: boolean;
  readonly updateStrategy: UpdateStrategy;
  /** For how much longer than `stallAfter` a healthy rollout may make no progress. Milliseconds. */
  readonly normalPause: number;
  /** The desired number of pods; 0 for a CronJob. */
  readonly replicas: number;
  /** The number of old revisions that `kubectl rollout undo` can reach. */
  readonly revisionHistoryLimit: number | undefined;
  readonly isEnding: boolean;
  /**
   * `weeder.dev/emptied`: weeder has scaled the workload to zero, and restores this number of replicas; a DaemonSet
   * gets its pods back on all of its nodes. Undefined: weeder has not done so.
   */
  readonly emptied: Emptied | undefined;
  /** Why that annotation is not trusted, in one sentence; undefined: it is trusted or missing. */
  readonly emptiedError?: string;
  /** Its volumes are deleted together with its pods when it is scaled down. */
  readonly losesVolumes: boolean;
  /** Undefined: the workload is not a Job. */
  readonly job: JobSummary | undefined;
  readonly status: WorkloadStatus;
}

/** Bytes of annotations, each of which may have 256 KiB. `encodeState` writes 64 KiB at most. */
const longestList = 16 * 1024;
const longestState = 64 * 1024;

const Time = z.iso.datetime({ offset: true });

/**
 * Reads a workload as the API serves it; returns undefined if the object lacks its identity or the selector of its
 * pods, unless another workload has its template. `others`: the kinds that the config names.
 */
export function readWorkload(
  object: unknown,
  name: string,
  others: readonly OtherKind[] = [],
): WorkloadSummary | undefined {
  const identity = identityOf(object);
  const { metadata, spec: givenSpec, status: givenStatus } = objectOf(object);
  const [meta, spec, status] = [objectOf(metadata), objectOf(givenSpec), objectOf(givenStatus)];
  const kind = kindNamed(name, others);
  const selector = readLabelSelector(spec['selector']);
  if (identity === undefined || kind === undefined) return undefined;
  const templateFrom = referenceIn(object, kind, identity);
  if (selector === undefined && kind.restart !== 'nextRun' && templateFrom === undefined) return undefined;
  const { uid, resourceVersion } = identity;
  const annotations = objectOf(meta['annotations']);
  const template = podTemplateOf(object, kind);
  const isOptedIn = readOptIn(annotations[workloadAnnotations.optIn]);
  return {
    ref: refOf(name, identity, object),
    kind,
    uid,
    resourceVersion,
    generation: numberOf(meta['generation']) ?? 0,
    labels: readTexts(meta['labels']),
    isOptedIn,
    optInError: optInError(annotations[workloadAnnotations.optIn]),
    otherTool: isOptedIn === undefined ? otherToolOf(annotations, annotationsOf(template)) : undefined,
    alsoDependsOn: shortTextIn(annotations[alsoDependsOn], longestList),
    pausedUntil: readPause(annotations[workloadAnnotations.pausedUntil]),
    stateText: shortTextIn(annotations[workloadAnnotations.state], longestState),
    changeCause: shortTextIn(annotations[workloadAnnotations.changeCause]),
    ...(templateFrom === undefined ? {} : { templateFrom }),
    templateHash: templateHashOf(template),
    templateAnnotation: templateAnnotationOf(template),
    restartAt: kind.restartTimes && timeOf(at(kind.restartTimes.requested, object)),
    restartedAt: kind.restartTimes && timeOf(at(kind.restartTimes.ended, object)),
    selector,
    isPaused: kind.isPaused(spec),
    updateStrategy: kind.updateStrategy(spec),
    normalPause: normalPauseOf(spec, template),
    replicas: kind.replicas(spec, status),
    revisionHistoryLimit: numberOf(spec['revisionHistoryLimit']),
    isEnding: meta['deletionTimestamp'] !== undefined,
    emptied: readEmptied(annotations[workloadAnnotations.emptied], uid, kind.emptying.isEmpty(spec, template)),
    losesVolumes: kind.emptying.losesVolumes(spec),
    job: kind.restart === 'recreation' ? readJob(meta, spec, status) : undefined,
    status: kind.status(status, annotations),
  };
}

/** Events need the version of a kind that is discovered. */
function refOf(kind: string, { namespace, name }: Identity, object: unknown): WorkloadRef {
  const apiVersion = isWorkloadKind(kind) ? undefined : apiVersionIn(objectOf(object)['apiVersion']);
  return { kind, namespace, name, ...(apiVersion === undefined ? {} : { apiVersion }) };
}

function referenceIn(object: unknown, { templateReference }: Kind, { namespace }: Identity): WorkloadRef | undefined {
  const { kind, name } = objectOf(templateReference && at(templateReference, object));
  const [kindText, nameText] = [kindIn(kind), nameIn(name)];
  return kindText === undefined || nameText === undefined ? undefined : { kind: kindText, namespace, name: nameText };
}

const endings: ReadonlySet<unknown> = new Set(['Complete', 'Failed', 'SuccessCriteriaMet', 'FailureTarget']);

function readJob(meta: JsonObject, spec: JsonObject, status: JsonObject): JobSummary {
  const owner = controllerOf(meta);
  const managedBy = shortTextIn(spec['managedBy'], 128);
  return {
    isOver: trueConditions(status).some(({ type }) => endings.has(type)),
    creator: owner && `${owner.kind ?? '(no kind)'} ${owner.name ?? '(no name)'}`,
    managedBy: managedBy === 'kubernetes.io/job-controller' ? undefined : managedBy,
  };
}

function readOptIn(text: unknown): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

function optInError(text: unknown): string | undefined {
  if (text === undefined || readOptIn(text) !== undefined) return undefined;
  return `its value is ${quoted(textOf(text) ?? JSON.stringify(text))}, expected "true" or "false": the rules of the config decide, as if it were not set`;
}

/** A time without a zone is ambiguous, and an unreadable time must not be taken for none. */
function readPause(text: unknown): number | 'unreadable' | undefined {
  if (text === undefined) return undefined;
  const time = Time.safeParse(text);
  return time.success ? Date.parse(time.data) : 'unreadable';
}
