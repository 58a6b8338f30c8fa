import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, objectOf } from '../../base/json.ts';
import type { KubeObject } from '../meta/objects.ts';
import { type FieldError, fieldError } from '../meta/status.ts';
import { byPath, type Identity, resource } from '../registry/resource.ts';
import { podSpecErrors } from './pods.ts';
import { completeTemplate } from './workloads.ts';

const group = 'batch';
const fields = ['spec', 'status'];
const template = { metadata: {}, spec: { containers: null } };

/** The template is immutable; pods are selected by the uid of the Job. */
export const jobs = resource({
  group,
  plural: 'jobs',
  kind: 'Job',
  zero: { spec: { template }, status: {} },
  fields,
  generation: 'spec',
  selectable: byPath('status.successful'),
  complete: (given) => ({ ...given, spec: completeJob(objectOf(given['spec'])) }),
  allocate: (given, old, self) => ({ ...given, spec: withSelector(objectOf(given['spec']), old, self) }),
  initialStatus: () => ({}),
  validate: ({ spec }, old) => [
    ...templateErrors(objectOf(spec)['template'], 'spec.template'),
    ...(old === undefined ? [] : fixedErrors(objectOf(spec), objectOf(old['spec']))),
  ],
});

export const cronJobs = resource({
  group,
  plural: 'cronjobs',
  kind: 'CronJob',
  zero: { spec: { jobTemplate: { metadata: {}, spec: { template } } }, status: {} },
  fields,
  generation: 'spec',
  shortNames: ['cj'],
  complete: (given) => ({ ...given, spec: completeCronJob(objectOf(given['spec'])) }),
  initialStatus: () => ({}),
  validate: ({ spec }) => {
    const { schedule, jobTemplate } = objectOf(spec);
    return [
      ...(schedule ? [] : [fieldError.required('spec.schedule')]),
      ...templateErrors(objectOf(objectOf(jobTemplate)['spec'])['template'], 'spec.jobTemplate.spec.template'),
    ];
  },
});

function completeJob(spec: JsonObject): JsonObject {
  return {
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    manualSelector: false,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    ...spec,
    template: withPolicy(objectOf(spec['template'])),
  };
}

function withSelector(spec: JsonObject, old: KubeObject | undefined, { name, uid }: Identity): JsonObject {
  const template = objectOf(spec['template']);
  const own = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const metadata = objectOf(template['metadata']);
  const labels = { ...objectOf(metadata['labels']), ...(old === undefined ? own : {}) };
  return {
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
    ...spec,
    template: { ...template, metadata: { ...metadata, labels } },
  };
}

function completeCronJob(spec: JsonObject): JsonObject {
  const { metadata, spec: jobSpec } = objectOf(spec['jobTemplate']);
  const { template, ...rest } = objectOf(jobSpec);
  return {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
    ...spec,
    jobTemplate: { metadata: objectOf(metadata), spec: { ...rest, template: withPolicy(objectOf(template)) } },
  };
}

/** The restartPolicy of a Job's pods has no default, because it is required. */
function withPolicy(template: JsonObject): JsonObject {
  const { restartPolicy } = objectOf(template['spec']);
  const completed = completeTemplate(template);
  return { ...completed, spec: { ...objectOf(completed['spec']), restartPolicy: restartPolicy ?? '' } };
}

function templateErrors(template: unknown, path: string): readonly FieldError[] {
  const { spec } = objectOf(template);
  const { restartPolicy } = objectOf(spec);
  const policies = ['OnFailure', 'Never'];
  const at = `${path}.spec.restartPolicy`;
  const valid = `valid values: ${policies.map((each) => `"${each}"`).join(', ')}`;
  return [
    ...podSpecErrors(objectOf(spec), `${path}.spec`),
    ...(restartPolicy === '' ? [fieldError.required(at, valid)] : []),
    ...(restartPolicy === 'Always' ? [fieldError.unsupported(at, restartPolicy, policies)] : []),
  ];
}

/** The template of a suspended Job that never ran may change. */
function fixedErrors(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  const fixed = ['selector', 'completions', 'completionMode', ...(old['suspend'] === true ? [] : ['template'])];
  return fixed
    .filter((field) => !isDeepStrictEqual(spec[field], old[field]))
    .map((field) => fieldError.invalid(`spec.${field}`, spec[field], 'field is immutable'));
}
