import { createHash } from 'node:crypto';
import { isObject, type JsonObject, objectOf, parseJson, textOf } from '@weeder/kube-runtime/base';
import { generatedJobLabels, identityOf, shortTextIn } from '@weeder/kube-runtime/objects';
import type { HashKey } from '../digest/digest.ts';
import type { HashKeys } from '../digest/hashKeys.ts';
import { sealOf } from '../digest/seal.ts';
import type { WorkloadRef } from '../references/refs.ts';
import { workloadAnnotations } from '../references/workloadSummary.ts';

/**
 * While a Job is recreated, a copy of it is stored as another Job, which runs nothing, until the new Job exists: from
 * the copy any weeder process can recreate the Job, even if the first one stops in between. `copyAnnotation` names the
 * Job that it stands for, with a seal that no other client can make; the Job itself is in `contentAnnotation`, and
 * nothing else of the copy is trusted.
 */
export const copyAnnotation = 'weeder.dev/recreates';
const contentAnnotation = 'weeder.dev/recreates-with';

/** A Job that stands for one that is being recreated. */
export interface JobCopy {
  readonly ref: WorkloadRef;
  /** The old Job, and its version when the recreation was decided on. */
  readonly job: WorkloadRef;
  readonly jobUid: string;
  readonly jobVersion: string;
  /** The digest of the stored Job. */
  readonly digest: string;
  readonly keyId: string;
  readonly seal: string;
}

/** Deletion policies leave these finalizers behind; they are not the user's. */
const deletionFinalizers: ReadonlySet<unknown> = new Set(['foregroundDeletion', 'orphan']);

/** Only one copy exists per uid: a second attempt finds the first copy. */
function copyNameFor(jobUid: string): string {
  return `weeder-recreates-${jobUid}`;
}

/**
 * Returns the copy of this Job. It resembles the new Job, so that a quota or an admission plugin that would refuse the
 * new Job refuses the copy, before anything is deleted; but it is suspended, and starts no pod even if a user resumes
 * it. The metadata of the Job is inside an annotation: a selector for the Job's labels does not match the copy.
 */
export function copyOfJob(
  job: JsonObject,
  stateText: string,
  key: HashKey,
): { readonly copy: JobCopy; readonly object: JsonObject } {
  const { metadata: given, spec: givenSpec } = job;
  const [meta, spec] = [objectOf(given), objectOf(givenSpec)];
  const { selector, manualSelector, suspend, parallelism, ...rest } = spec;
  const { labels, annotations, ownerReferences } = meta;
  const finalizers = arrayOrNone(meta['finalizers'])?.filter((each) => !deletionFinalizers.has(each));
  const isManual = manualSelector === true;
  const template = withoutGenerated(rest['template']);
  const whole = JSON.stringify({
    metadata: {
      labels,
      annotations: { ...objectOf(annotations), [workloadAnnotations.state]: stateText },
      finalizers,
      ownerReferences,
    },
    spec: { ...rest, template, suspend, parallelism, ...(isManual ? { selector, manualSelector } : {}) },
  });
  const { namespace, name, uid, resourceVersion: version } = textsOf(meta);
  const digest = digestOf(whole);
  const seal = sealOf(key, 'kept Job', [namespace, name, uid, version, digest]);
  const copyName = copyNameFor(uid);
  const object = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace,
      name: copyName,
      annotations: { [copyAnnotation]: `${name}/${uid}/${version}/${key.id}/${seal}`, [contentAnnotation]: whole },
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    spec: { ...rest, template, suspend: true, parallelism: 0 },
  };
  const ref = (its: string): WorkloadRef => ({ kind: 'Job', namespace, name: its });
  const copy = { ref: ref(copyName), job: ref(name), jobUid: uid, jobVersion: version, digest, keyId: key.id, seal };
  return { copy, object };
}

/** Returns the Job to create from the copy; undefined if the object is no longer the copy that was found before. */
export function jobFromCopy(object: JsonObject, copy: JobCopy): JsonObject | undefined {
  const readCopy = readJobCopy(object);
  const whole = parsed(wholeIn(object));
  if (readCopy?.digest !== copy.digest || readCopy.seal !== copy.seal || whole === undefined) return undefined;
  const { namespace, name } = copy.job;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...objectOf(whole['metadata']), namespace, name },
    spec: objectOf(whole['spec']),
  };
}

/**
 * Reads what this object claims to be; returns undefined if it is an ordinary Job. `isTrustedCopy` verifies the claim.
 */
export function readJobCopy(object: unknown): JobCopy | undefined {
  const identity = identityOf(object);
  const parts = (shortTextIn(annotationsOf(object)[copyAnnotation]) ?? '').split('/');
  const [name, jobUid, jobVersion, keyId, seal] = parts;
  if (identity === undefined || parts.length !== 5 || !name || !jobUid || !jobVersion || !keyId || !seal)
    return undefined;
  // A copy of the copy, under another name, is not weeder's.
  if (identity.name !== copyNameFor(jobUid)) return undefined;
  const { namespace } = identity;
  return {
    ref: { kind: 'Job', namespace, name: identity.name },
    job: { kind: 'Job', namespace, name },
    jobUid,
    jobVersion,
    digest: digestOf(wholeIn(object)),
    keyId,
    seal,
  };
}

/** Whether weeder has made the copy, for this Job, from this content. */
export function isTrustedCopy(copy: JobCopy, keys: Pick<HashKeys, 'confirms'>): boolean {
  const { job, jobUid, jobVersion, digest, keyId, seal } = copy;
  return keys.confirms(keyId, 'kept Job', [job.namespace, job.name, jobUid, jobVersion, digest], seal);
}

function textsOf(meta: JsonObject) {
  const text = (name: string) => textOf(meta[name]) ?? '';
  return {
    namespace: text('namespace'),
    name: text('name'),
    uid: text('uid'),
    resourceVersion: text('resourceVersion'),
  };
}

function annotationsOf(object: unknown): JsonObject {
  return objectOf(objectOf(objectOf(object)['metadata'])['annotations']);
}

function wholeIn(copy: unknown): string {
  return textOf(annotationsOf(copy)[contentAnnotation]) ?? '';
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The controller and the API server set these labels again on the new Job. */
function withoutGenerated(template: unknown): JsonObject {
  const { metadata, ...rest } = objectOf(template);
  const meta = objectOf(metadata);
  const labels = Object.entries(objectOf(meta['labels'])).filter(([name]) => !generatedJobLabels.has(name));
  return { ...rest, metadata: { ...meta, labels: Object.fromEntries(labels) } };
}

function arrayOrNone(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Another client has changed it: unreadable content is no Job.
    return undefined;
  }
}
