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
  /** Sources of other namespaces where nobody has consented. */
  readonly notAllowed: readonly SourceRef[];
}

/**
 * What the pod template uses, and what the annotation adds. A source of another namespace counts only where somebody
 * there has consented: otherwise whoever may write one namespace could find out what another one keeps (F7).
 */
export function usesOfWorkload(
  { ref, alsoDependsOn }: WorkloadFacts,
  templateUses: readonly Use[],
  settings: RestartSettings,
  metaOf: (ref: SourceRef) => SourceMeta | undefined,
): WorkloadUses {
  const own = templateUses.filter(({ how }) => how !== 'imagePullSecret' || settings.imagePullSecrets === 'hash');
  if (alsoDependsOn === undefined) return { uses: own, faults: [], notAllowed: [] };
  const added = readAlsoDependsOn(alsoDependsOn, ref.namespace);
  const isAllowed = ({ source }: Use) =>
    source.namespace === ref.namespace || hasConsent(settings, source) || isUsedFrom(metaOf(source), ref.namespace);
  const notAllowed = added.uses.filter((use) => !isAllowed(use)).map(({ source }) => source);
  return { uses: [...own, ...added.uses.filter(isAllowed)], faults: added.faults, notAllowed };
}

function isUsedFrom(meta: SourceMeta | undefined, namespace: string): boolean {
  return meta !== undefined && meta.usedFrom !== 'nobody' && meta.usedFrom.has(namespace);
}
