import type { RestartConfig, RestartSettings } from '../../config/restart.ts';
import { includesName } from '../../config/scopes.ts';
import { alsoDependsOn as annotation, readAlsoDependsOn } from '../references/annotations.ts';
import { type SourceRef, sourceKey } from '../references/refs.ts';
import type { SourceMeta } from '../references/sourceMeta.ts';
import type { Use } from '../references/uses.ts';
import type { WorkloadSummary } from '../references/workloadSummary.ts';
import { hasConsent } from './managed.ts';

/** The uses of a workload, and the errors in its annotation. */
export interface WorkloadUses {
  readonly uses: readonly Use[];
  /** One sentence each. */
  readonly errors: readonly string[];
  /** Sources of other namespaces that do not allow the use. */
  readonly notAllowed: readonly SourceRef[];
  /** Sources of a kind that is not followed. */
  readonly notFollowed: readonly SourceRef[];
}

interface KnownSources {
  readonly metaOf: (ref: SourceRef) => SourceMeta | undefined;
  /** Whether the source has been read, if it exists. Default: all have been. */
  readonly hasRead?: (ref: SourceRef) => boolean;
}

/**
 * Returns the uses of the pod template and of the annotation. A source of another namespace counts only if its owners
 * allow it: otherwise a client that may write in one namespace could learn about the content of another. Sources of a
 * kind that is not followed count as not used, and are listed. `namespaces`: the watched ones. Until a source has been
 * read, it is unknown whether it allows the use: it counts as used, so that the workload waits for it.
 */
export function usesOfWorkload(
  { ref, alsoDependsOn }: WorkloadSummary,
  templateUses: readonly Use[],
  settings: RestartSettings,
  { sourceKinds }: Pick<RestartConfig, 'sourceKinds'>,
  { metaOf, hasRead = () => true }: KnownSources,
  namespaces: 'all' | readonly string[] = 'all',
): WorkloadUses {
  const isFollowed = ({ source }: Use) => sourceKinds.has(source.kind);
  const meant = templateUses.filter(({ how }) => how !== 'imagePullSecret' || settings.imagePullSecrets === 'hash');
  const own = meant.filter(isFollowed);
  if (alsoDependsOn === undefined)
    return { uses: own, errors: [], notAllowed: [], notFollowed: sourcesOf(meant.filter((use) => !isFollowed(use))) };
  const { uses, errors } = readAlsoDependsOn(alsoDependsOn, ref.namespace);
  const isWatched = ({ source }: Use) => includesName(namespaces, source.namespace);
  // A source that is not watched would seem to be missing.
  const unseen = uses.filter((use) => !isWatched(use)).map(({ source }) => unwatched(source));
  const added = uses.filter(isFollowed).filter(isWatched);
  const isAllowed = ({ source }: Use) =>
    source.namespace === ref.namespace ||
    hasConsent(settings, source) ||
    !hasRead(source) ||
    isReferenceAllowed(metaOf(source), ref.namespace);
  const notAllowed = added.filter((use) => !isAllowed(use)).map(({ source }) => source);
  const notFollowed = sourcesOf([...meant, ...uses.filter(isWatched)].filter((use) => !isFollowed(use)));
  const allowed = [...own, ...added.filter(isAllowed)];
  return { uses: allowed, errors: [...errors, ...new Set(unseen)], notAllowed, notFollowed };
}

/** Without duplicates. */
function sourcesOf(uses: readonly Use[]): SourceRef[] {
  return [...new Map(uses.map(({ source }) => [sourceKey(source), source])).values()];
}

function unwatched(source: SourceRef): string {
  return `${annotation} contains ${sourceKey(source)}: weeder does not watch the namespace ${source.namespace}.`;
}

function isReferenceAllowed(meta: SourceMeta | undefined, namespace: string): boolean {
  return meta !== undefined && meta.allowedNamespaces !== 'none' && meta.allowedNamespaces.has(namespace);
}
