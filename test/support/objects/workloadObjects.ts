import assert from 'node:assert/strict';
import { type WorkloadKind, workloadKinds } from '@weeder/kube-runtime/objects';
import { readWorkload, type WorkloadSummary } from '../../../src/restart/references/workloadSummary.ts';

/** Overrides for a workload; the defaults are those of `shop/web` with three pods. */
export interface WorkloadOptions {
  readonly metadata?: object;
  readonly annotations?: object;
  readonly spec?: object;
  readonly template?: object;
  readonly status?: object;
}

export const template = {
  metadata: { labels: { app: 'web' }, annotations: { team: 'blue' } },
  spec: { containers: [{ name: 'main', image: 'registry.invalid/web:1', envFrom: [{ secretRef: { name: 'db' } }] }] },
};

/** A workload as the API serves it. */
export function workloadObject(kind: WorkloadKind, options: WorkloadOptions = {}) {
  const { metadata, annotations, spec, status = {} } = options;
  const owner = { selector: { matchLabels: { app: 'web' } }, template: options.template ?? template };
  return {
    kind,
    apiVersion: `${workloadKinds[kind].group}/v1`,
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'u-web',
      resourceVersion: '7',
      generation: 2,
      labels: { tier: 'front' },
      ...(annotations === undefined ? {} : { annotations }),
      ...metadata,
    },
    spec: kind === 'CronJob' ? { jobTemplate: { spec: owner }, ...spec } : { ...specOf(kind), ...owner, ...spec },
    status,
  };
}

function specOf(kind: WorkloadKind): object {
  if (kind === 'DaemonSet') return {};
  return kind === 'Job' ? { parallelism: 3 } : { replicas: 3 };
}

/** The summary of the same workload, which restart control stores. */
export function workloadSummary(kind: WorkloadKind, options: WorkloadOptions = {}): WorkloadSummary {
  const summary = readWorkload(workloadObject(kind, options), kind);
  assert(summary);
  return summary;
}
