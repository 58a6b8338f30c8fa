import { objectOf } from '@weeder/kube-runtime/base';
import type { Application } from '../spec/application.ts';
import { type ApplicationLimits, type Refused, refusedInAll, refusedInNamespace } from '../spec/applicationLimits.ts';
import { readApplication, unknownGeneration } from '../spec/readApplication.ts';

/** An application as it was last read. */
export interface KnownApplication {
  readonly application: Application;
  readonly status: unknown;
}

/**
 * The applications that the streams have reported, and which of them exceed the limits of their namespace or of the
 * cluster.
 */
interface KnownApplications {
  /** Returns the ids whose decision has changed: this one, and those that are refused now or no longer are. */
  take(id: string, object: unknown): readonly string[];
  /** The same generation may have another spec from now on. */
  rewound(id: string): void;
  remove(id: string): readonly string[];
  /** Sets new limits and returns the ids whose decision has changed. */
  limit(limits: ApplicationLimits): readonly string[];
  get(id: string): KnownApplication | undefined;
  ids(): Iterable<string>;
  /**
   * Returns true if the application is no longer refused. Its spec was dropped from memory when it was refused, so it
   * has to be read again.
   */
  needsRead(id: string): boolean;
}

interface Known extends KnownApplication {
  readonly isDropped: boolean;
}

const none: Refused = new Map();

export function knownApplications(initial: ApplicationLimits): KnownApplications {
  let limits = initial;
  const namespaces = new Map<string, Map<string, Known>>();
  const refusedByNamespace = new Map<string, { readonly refused: Refused; readonly bytes: number }>();
  let refusedOfAll: Refused = none;

  function get(id: string): Known | undefined {
    return namespaces.get(namespaceOf(id))?.get(id);
  }

  /**
   * Returns the ids that are now refused and were not, or the other way round: of this namespace, or of all namespaces
   * if the limit of the cluster is exceeded.
   */
  function evaluate(namespace: string): readonly string[] {
    const applications = namespaces.get(namespace) ?? new Map<string, Known>();
    const sizes = [...applications.values()].map(({ application }) => application);
    const refused = refusedInNamespace(sizes, limits);
    if (applications.size === 0) refusedByNamespace.delete(namespace);
    else refusedByNamespace.set(namespace, { refused, bytes: bytesOf(sizes, refused) });
    const before = refusedOfAll;
    refusedOfAll = evaluateAll();
    const isSame = before.size === 0 && refusedOfAll.size === 0;
    return (isSame ? [namespace] : [...namespaces.keys()]).flatMap(apply);
  }

  /** Sorts only if the total exceeds the limit. */
  function evaluateAll(): Refused {
    const bytes = [...refusedByNamespace.values()].reduce((sum, each) => sum + each.bytes, 0);
    if (bytes <= limits.bytes) return none;
    const sizes = [...namespaces].flatMap(([namespace, applications]) => {
      const { refused = none } = refusedByNamespace.get(namespace) ?? {};
      return [...applications.values()].flatMap(({ application }) => (refused.has(application.uid) ? [] : application));
    });
    return refusedInAll(sizes, limits);
  }

  function apply(namespace: string): readonly string[] {
    const applications = namespaces.get(namespace) ?? new Map<string, Known>();
    const { refused = none } = refusedByNamespace.get(namespace) ?? {};
    const others: string[] = [];
    for (const [id, application] of applications) {
      const { uid } = application.application;
      const refusal = refused.get(uid) ?? refusedOfAll.get(uid);
      if (refusal === application.application.refusal) continue;
      applications.set(id, { ...application, ...withRefusal(application, refusal) });
      others.push(id);
    }
    return others;
  }

  return {
    get,
    take(id, object) {
      const before = get(id);
      const read = readApplication(object, before?.isDropped === false ? before.application : undefined);
      if (read === undefined) return [];
      const namespace = namespaceOf(id);
      const applications = namespaces.get(namespace) ?? new Map<string, Known>();
      const application = { application: read, status: objectOf(object)['status'], isDropped: false };
      namespaces.set(namespace, applications.set(id, application));
      return [...new Set([id, ...evaluate(namespace)])];
    },
    rewound(id) {
      const rewoundApplication = get(id);
      if (rewoundApplication === undefined) return;
      const application = { ...rewoundApplication.application, generation: unknownGeneration };
      namespaces.get(namespaceOf(id))?.set(id, { ...rewoundApplication, application });
    },
    remove(id) {
      const namespace = namespaceOf(id);
      const applications = namespaces.get(namespace);
      if (applications?.delete(id) !== true) return [];
      if (applications.size === 0) namespaces.delete(namespace);
      return evaluate(namespace);
    },
    limit(next) {
      limits = next;
      return [...new Set([...namespaces.keys()].flatMap(evaluate))];
    },
    *ids() {
      for (const applications of namespaces.values()) yield* applications.keys();
    },
    needsRead(id) {
      const application = get(id);
      return application?.isDropped === true && application.application.refusal === undefined;
    },
  };
}

/**
 * The spec of a refused application is not stored, because any number of them may exist. The inventory in its status is
 * enough to delete it.
 */
function withRefusal(
  { application, isDropped }: Known,
  refusal: string | undefined,
): Pick<Known, 'application' | 'isDropped'> {
  const { refusal: _before, errors, ...rest } = application;
  const others = errors.filter(({ code }) => code !== 'limit');
  if (refusal === undefined) return { application: { ...rest, errors: others }, isDropped };
  const spec = { ...rest.spec, manifests: [], schema: undefined };
  const error = { code: 'limit', path: ['spec'], message: refusal, manifest: undefined } as const;
  return { application: { ...rest, spec, errors: [error], warnings: [], refusal }, isDropped: true };
}

/** Sums the sizes of the applications that are not refused. */
function bytesOf(sizes: readonly Application[], refused: Refused): number {
  return sizes.reduce((sum, { uid, bytes }) => (refused.has(uid) ? sum : sum + bytes), 0);
}

function namespaceOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/')));
}
