import type { ObserverConfig } from '../../config/schema/observer.ts';

/** What Applications may have: those of one namespace, and all of them together. */
export type ApplicationLimits = Pick<
  ObserverConfig,
  'applicationsPerNamespace' | 'resourcesPerNamespace' | 'bytesPerNamespace' | 'bytes'
>;

/** What an application takes of what there may be. */
export interface ApplicationSize {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** RFC 3339, as the API server writes it. */
  readonly createdAt: string;
  readonly resources: number;
  /** Of its spec as JSON. */
  readonly bytes: number;
}

/** The uids of those that are refused, each with a clause that says why. */
export type Refused = ReadonlyMap<string, string>;

/** Those of one namespace that exceed what it may have. */
export function refusedInNamespace(all: readonly ApplicationSize[], limits: ApplicationLimits): Refused {
  const { applicationsPerNamespace, resourcesPerNamespace, bytesPerNamespace } = limits;
  return refusedBeyond(all, (taken) => {
    if (taken.applications > applicationsPerNamespace)
      return because(
        `the namespace would have more than ${applicationsPerNamespace} applications`,
        'applicationsPerNamespace',
      );
    if (taken.resources > resourcesPerNamespace)
      return because(`the namespace would have more than ${resourcesPerNamespace} resources`, 'resourcesPerNamespace');
    if (taken.bytes > bytesPerNamespace)
      return because(`the namespace would have more than ${bytesPerNamespace} bytes of specs`, 'bytesPerNamespace');
    return undefined;
  });
}

/** Those that exceed what all namespaces may have together; `all`: those that none of them refuses. */
export function refusedInAll(all: readonly ApplicationSize[], { bytes }: ApplicationLimits): Refused {
  return refusedBeyond(all, (taken) =>
    taken.bytes > bytes ? because(`all namespaces would have more than ${bytes} bytes of specs`, 'bytes') : undefined,
  );
}

type Taken = Pick<ApplicationSize, 'resources' | 'bytes'> & { readonly applications: number };

/**
 * The oldest stay: a new application, or one that grows, takes nothing from those that were made before it. What is
 * refused takes no room.
 */
function refusedBeyond(all: readonly ApplicationSize[], whyRefused: (taken: Taken) => string | undefined): Refused {
  const refused = new Map<string, string>();
  let taken: Taken = { applications: 0, resources: 0, bytes: 0 };
  for (const { uid, resources, bytes } of all.toSorted(byAge)) {
    const next = {
      applications: taken.applications + 1,
      resources: taken.resources + resources,
      bytes: taken.bytes + bytes,
    };
    const reason = whyRefused(next);
    if (reason === undefined) taken = next;
    else refused.set(uid, reason);
  }
  return refused;
}

function because(excess: string, key: keyof ApplicationLimits): string {
  return `with it, ${excess}, and older applications come first; delete some, or have observer.${key} raised`;
}

function byAge(one: ApplicationSize, other: ApplicationSize): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? -1 : 1;
  return one.uid < other.uid ? -1 : 1;
}
