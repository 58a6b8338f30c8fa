import type { ObserverConfig } from '../../config/schema/observer.ts';

/** The limits of the Applications of one namespace, and of all Applications together. */
export type ApplicationLimits = Pick<
  ObserverConfig,
  'applicationsPerNamespace' | 'resourcesPerNamespace' | 'bytesPerNamespace' | 'bytes'
>;

/** The size of an application that counts towards the limits. */
export interface ApplicationSize {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** RFC 3339, as the API server writes it. */
  readonly createdAt: string;
  readonly resources: number;
  /** The size of its spec as JSON. */
  readonly bytes: number;
}

/** The uids of the refused applications, each with a clause that says why. */
export type Refused = ReadonlyMap<string, string>;

/** Returns the applications of one namespace that exceed its limits. */
export function refusedInNamespace(applications: readonly ApplicationSize[], limits: ApplicationLimits): Refused {
  const { applicationsPerNamespace, resourcesPerNamespace, bytesPerNamespace } = limits;
  return refusedBeyond(applications, (taken) => {
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

/**
 * Returns the applications that exceed the limit of all namespaces together. `all`: the applications that no namespace
 * refuses.
 */
export function refusedInAll(applications: readonly ApplicationSize[], { bytes }: ApplicationLimits): Refused {
  return refusedBeyond(applications, (taken) =>
    taken.bytes > bytes ? because(`all namespaces would have more than ${bytes} bytes of specs`, 'bytes') : undefined,
  );
}

type Taken = Pick<ApplicationSize, 'resources' | 'bytes'> & { readonly applications: number };

/**
 * Accepts the oldest applications first, so that a new or growing application does not displace older ones. A refused
 * application does not count.
 */
function refusedBeyond(
  applications: readonly ApplicationSize[],
  whyRefused: (taken: Taken) => string | undefined,
): Refused {
  const refused = new Map<string, string>();
  let taken: Taken = { applications: 0, resources: 0, bytes: 0 };
  for (const { uid, resources, bytes } of applications.toSorted(byAge)) {
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
  return `with it, ${excess}, and older applications come first; delete some, or ask the operator to raise observer.${key}`;
}

function byAge(one: ApplicationSize, other: ApplicationSize): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? -1 : 1;
  return one.uid < other.uid ? -1 : 1;
}
