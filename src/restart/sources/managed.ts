import { matchesSelector } from '@weeder/kube-runtime/objects';
import type { RestartConfig, RestartRule, RestartSettings } from '../../config/restart.ts';
import { includesName } from '../../config/scopes.ts';
import type { SourceRef, WorkloadRef } from '../references/refs.ts';

/** What decides whether a workload is managed. */
export interface Candidate {
  readonly ref: WorkloadRef;
  readonly labels: Readonly<Record<string, string>>;
  /** The value of its annotation `weeder.dev/restart-on-change`; undefined: it is not set. */
  readonly isOptedIn: boolean | undefined;
  /** The managed workload that is restarted in its place, because both have one template. */
  readonly templateFor?: WorkloadRef;
}

/**
 * Returns the settings of a workload; undefined: it is not managed. Its own "false" takes precedence over every rule,
 * as does `templateFor`, the first rule that matches over the later ones, and its own "true" without a rule means the defaults.
 */
export function settingsFor(config: RestartConfig, workload: Candidate): RestartSettings | undefined {
  if (workload.isOptedIn === false || workload.templateFor !== undefined) return undefined;
  const rule = config.rules.find((each) => isSelectedBy(each, workload));
  return rule ?? (workload.isOptedIn === true ? config.defaults : undefined);
}

function isSelectedBy({ namespaces, kinds, selector }: RestartRule, { ref, labels }: Candidate): boolean {
  if (!includesName(namespaces, ref.namespace)) return false;
  return kinds.has(ref.kind) && (selector === undefined || matchesSelector(selector, labels));
}

/** Whether the config allows a workload with these settings to depend on a source of another namespace. */
export function hasConsent({ sources }: RestartSettings, { kind, namespace, name }: SourceRef): boolean {
  return sources.some((each) => each.namespace === namespace && each.kinds.has(kind) && includesName(each.names, name));
}
