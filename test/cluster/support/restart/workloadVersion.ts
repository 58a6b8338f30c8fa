import assert from 'node:assert/strict';
import type { WorkloadKind } from '@weeder/kube-runtime/objects';
import { decodeState, type WorkloadState } from '../../../../src/restart/content/state.ts';
import { readWorkload, type WorkloadSummary } from '../../../../src/restart/references/workloadSummary.ts';
import type { KubeObject } from '../objects.ts';
import { templateOf } from './workloadOptions.ts';

/** A version of a workload, as the watch delivered it. */
export interface Version {
  readonly summary: WorkloadSummary;
  /** Undefined if there is none. */
  readonly state: WorkloadState | undefined;
  /** The number of changes of the pod template up to it. */
  readonly rollouts: number;
}

export function versionOf(object: KubeObject, kind: WorkloadKind, rollouts: number): Version {
  const summary = summaryOf(object, kind);
  // Some tests write a state that is unreadable.
  const state = decodeState(summary.stateText) === 'unreadable' ? undefined : stateOf(summary);
  return { summary, state, rollouts };
}

export function stateOf({ stateText }: WorkloadSummary): WorkloadState | undefined {
  const state = decodeState(stateText);
  assert(state !== 'unreadable');
  return state === 'none' ? undefined : state;
}

export function rolloutsIn(versions: readonly KubeObject[]): number {
  const templates = versions.map((object) => JSON.stringify(templateOf(object)));
  return templates.filter((template, index) => index > 0 && template !== templates[index - 1]).length;
}

/** Reads what the API server answers of a workload. */
export function summaryOf(object: unknown, kind: WorkloadKind): WorkloadSummary {
  const workload = readWorkload(object, kind);
  assert(workload, JSON.stringify(object));
  return workload;
}
