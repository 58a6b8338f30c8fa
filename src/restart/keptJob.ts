import { isObject, type JsonObject, objectOf, textOf } from '../json.ts';
import { identityOf } from '../kube/identity.ts';
import { generatedJobLabels } from '../kube/jobLabels.ts';
import type { WorkloadRef } from './refs.ts';
import { workloadAnnotations } from './workloadFacts.ts';

/**
 * A Job that is to be made anew is kept as another Job, which runs nothing, until the new one is there: whoever finds it
 * can bring the Job back, even when weeder ends between the two. Which Job it stands for is in `keptFor`, what its spec
 * does not show in `keptRest`.
 */
export const keptFor = 'weeder.dev/recreates';
const keptRest = 'weeder.dev/recreates-with';

/** A Job that stands for one that is made anew. */
export interface KeptJob {
  readonly copy: WorkloadRef;
  /** The Job of before, and its version when that was decided. */
  readonly job: WorkloadRef;
  readonly jobUid: string;
  readonly jobVersion: string;
}

/** Deletion policies leave these; they are not the user's. */
const deletionFinalizers: ReadonlySet<unknown> = new Set(['foregroundDeletion', 'orphan']);

/** Of a uid there is one at the most: a second try finds it. */
export function copyNameFor(jobUid: string): string {
  return `weeder-recreates-${jobUid}`;
}

/**
 * The Job that stands for this one. It is as the new one will be, so that a quota or an admission that would refuse that
 * one refuses this one, before anything is deleted; only that it is suspended and starts no pod even if somebody resumes
 * it. Its metadata is inside of an annotation: nobody who looks for the Job's labels finds it.
 */
export function copyOfJob(job: JsonObject, stateText: string): JsonObject {
  const { metadata: given, spec: givenSpec } = job;
  const [meta, spec] = [objectOf(given), objectOf(givenSpec)];
  const { selector, manualSelector, suspend, parallelism, ...rest } = spec;
  const { labels, annotations, ownerReferences } = meta;
  const finalizers = arrayOrNone(meta['finalizers'])?.filter((each) => !deletionFinalizers.has(each));
  const isManual = manualSelector === true;
  const kept = {
    metadata: { labels, annotations: { ...objectOf(annotations), [workloadAnnotations.state]: stateText }, finalizers },
    spec: { suspend, parallelism, ...(isManual ? { selector, manualSelector } : {}) },
  };
  const uid = String(meta['uid']);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace: meta['namespace'],
      name: copyNameFor(uid),
      annotations: {
        [keptFor]: `${String(meta['name'])}/${uid}/${String(meta['resourceVersion'])}`,
        [keptRest]: JSON.stringify(kept),
      },
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    spec: { ...rest, template: withoutGenerated(rest['template']), suspend: true, parallelism: 0 },
  };
}

/** The Job that the copy stands for, to be created; undefined: it does not say what it would take. */
export function jobFromCopy(copy: JsonObject): JsonObject | undefined {
  const kept = readKept(copy);
  const meta = objectOf(copy['metadata']);
  const rest = parsed(textOf(objectOf(meta['annotations'])[keptRest]));
  if (kept === undefined || rest === undefined) return undefined;
  const {
    suspend: _suspended,
    parallelism: _none,
    selector: _its,
    manualSelector: _,
    ...spec
  } = objectOf(copy['spec']);
  const { ownerReferences } = meta;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace: kept.job.namespace,
      name: kept.job.name,
      ...objectOf(rest['metadata']),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    spec: { ...spec, template: withoutGenerated(spec['template']), ...objectOf(rest['spec']) },
  };
}

/** Undefined: it is a Job like any other. */
export function readKept(object: unknown): KeptJob | undefined {
  const identity = identityOf(object);
  const text = textOf(objectOf(objectOf(objectOf(object)['metadata'])['annotations'])[keptFor]);
  const [, name, jobUid, jobVersion] = /^([^/]+)\/([^/]+)\/([^/]+)$/.exec(text ?? '') ?? [];
  if (identity === undefined || name === undefined || jobUid === undefined || jobVersion === undefined)
    return undefined;
  // A copy of the copy, under whatever other name, is nothing of ours.
  if (identity.name !== copyNameFor(jobUid)) return undefined;
  const { namespace } = identity;
  return {
    copy: { kind: 'Job', namespace, name: identity.name },
    job: { kind: 'Job', namespace, name },
    jobUid,
    jobVersion,
  };
}

/** The controller and the API server write these labels again for the new one. */
function withoutGenerated(template: unknown): JsonObject {
  const { metadata, ...rest } = objectOf(template);
  const meta = objectOf(metadata);
  const labels = Object.entries(objectOf(meta['labels'])).filter(([name]) => !generatedJobLabels.has(name));
  return { ...rest, metadata: { ...meta, labels: Object.fromEntries(labels) } };
}

function arrayOrNone(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function parsed(text: string | undefined): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isObject(value) ? value : undefined;
  } catch {
    // Somebody has written into it: what cannot be read is no Job.
    return undefined;
  }
}
