import type { ObserverConfig } from '../config/observer.ts';

/** What one namespace may have of Applications together. */
export type NamespaceLimits = Pick<
  ObserverConfig,
  'applicationsPerNamespace' | 'resourcesPerNamespace' | 'bytesPerNamespace'
>;

/** What an application takes of what its namespace may have. */
export interface ApplicationSize {
  readonly name: string;
  readonly uid: string;
  /** RFC 3339, as the API server writes it. */
  readonly createdAt: string;
  readonly resources: number;
  /** Of its spec as JSON. */
  readonly bytes: number;
}

/**
 * Those of one namespace that exceed what it may have, by name, each with a clause that says so. The oldest stay: a new
 * application, or one that grows, takes nothing from those that were made before it. What is refused takes no room.
 */
export function refusedAmong(
  all: readonly ApplicationSize[],
  { applicationsPerNamespace, resourcesPerNamespace, bytesPerNamespace }: NamespaceLimits,
): ReadonlyMap<string, string> {
  const refused = new Map<string, string>();
  const taken = { applications: 0, resources: 0, bytes: 0 };
  for (const { name, resources, bytes } of all.toSorted(byAge)) {
    const next = {
      applications: taken.applications + 1,
      resources: taken.resources + resources,
      bytes: taken.bytes + bytes,
    };
    if (next.applications > applicationsPerNamespace)
      refused.set(name, because(`${applicationsPerNamespace} applications`, 'applicationsPerNamespace'));
    else if (next.resources > resourcesPerNamespace)
      refused.set(name, because(`${resourcesPerNamespace} resources`, 'resourcesPerNamespace'));
    else if (next.bytes > bytesPerNamespace)
      refused.set(name, because(`${bytesPerNamespace} bytes of specs`, 'bytesPerNamespace'));
    else Object.assign(taken, next);
  }
  return refused;
}

function because(most: string, key: keyof NamespaceLimits): string {
  return `with it, the namespace would have more than ${most}, and older applications come first; delete some, or have observer.${key} raised`;
}

function byAge(one: ApplicationSize, other: ApplicationSize): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? -1 : 1;
  return one.uid < other.uid ? -1 : 1;
}
