import type { RestartSettings } from '../config/restart.ts';
import { readAlsoDependsOn } from './alsoDependsOn.ts';
import { hasConsent } from './managed.ts';
import type { SourceRef } from './refs.ts';
import type { SourceMeta } from './sourceMeta.ts';
import type { Use } from './uses.ts';
import type { WorkloadFacts } from './workloadFacts.ts';

/** What a workload uses, and what is wrong with how it says so. */
export interface WorkloadUses {
  readonly uses: readonly Use[];
  /** A sentence each. */
  readonly faults: readonly string[];
}

const annotation = 'weeder.dev/also-depends-on';

/**
 * What the pod template uses, and what the annotation adds. A source of another namespace counts only where somebody
 * there has consented: otherwise whoever may write one namespace could find out what another one keeps (F7).
 */
export function usesOfWorkload(
  { ref, uses, annotations }: WorkloadFacts,
  settings: RestartSettings,
  metaOf: (ref: SourceRef) => SourceMeta | undefined,
): WorkloadUses {
  const own = uses.filter(({ how }) => how !== 'imagePullSecret' || settings.imagePullSecrets === 'hash');
  const text = annotations[annotation];
  if (text === undefined) return { uses: own, faults: [] };
  const added = readAlsoDependsOn(text, ref.namespace);
  const isAllowed = ({ source }: Use) =>
    source.namespace === ref.namespace ||
    hasConsent(settings, source) ||
    isUsedFrom(metaOf(source), ref.namespace);
  const refused = added.uses.filter((use) => !isAllowed(use)).map(({ source }) => refusalOf(source, ref.namespace));
  return { uses: [...own, ...added.uses.filter(isAllowed)], faults: [...added.faults, ...refused] };
}

function isUsedFrom(meta: SourceMeta | undefined, namespace: string): boolean {
  return meta !== undefined && meta.usedFrom !== 'nobody' && meta.usedFrom.has(namespace);
}

function refusalOf({ kind, namespace, name }: SourceRef, from: string): string {
  return `${kind} ${namespace}/${name} is not followed: annotate it weeder.dev/used-from: ${from}, or drop it from ${annotation}`;
}
