import { type Identity, identityOf } from '@weeder/kube-runtime/objects';
import type { ClosableSink } from '@weeder/kube-runtime/watch';
import { createSharedObjects } from '@weeder/kube-runtime/watch';
import type { OtherKind } from '../../config/restart.ts';
import { podTemplateOf } from '../references/podTemplate.ts';
import { workloadKey } from '../references/refs.ts';
import { type Use, usesOf } from '../references/uses.ts';
import { readWorkload, type WorkloadSummary } from '../references/workloadSummary.ts';
import { type JobCopy, readJobCopy } from '../requests/jobCopy.ts';

/** The summary of a workload and the uses of its sources. */
export interface WorkloadUpdate {
  readonly summary: WorkloadSummary;
  /** The uses of its pod template, including image pull secrets. */
  readonly uses: readonly Use[];
  /** The object is the copy of another Job, and not a workload of its own. */
  readonly copy?: JobCopy | undefined;
}

/** Receives the updates of workloads. */
export interface WorkloadListener {
  /** Whether this version is known already: the response to a write precedes the stream. */
  knows(id: string, version: Pick<Identity, 'uid' | 'resourceVersion'>): boolean;
  take(update: WorkloadUpdate): void;
  /** The known version says nothing about later ones. `id` is a `workloadKey`. */
  rewound?(id: string): void;
  /** `id` is a `workloadKey`. */
  remove(id: string): void;
}

/**
 * Creates sinks for the streams of workloads: they take whole objects, and pass on only what is needed. `otherKinds`: the
 * kinds that the config names.
 */
export function createWorkloadSinks(
  { knows, take, rewound, remove }: WorkloadListener,
  otherKinds: () => readonly OtherKind[] = () => [],
) {
  const holders = createSharedObjects();

  function create(kind: string): ClosableSink {
    const objects = holders.stream();

    /** One that cannot be read is not managed by what was known of it before. */
    function read(id: string, object: unknown): WorkloadUpdate | undefined {
      try {
        return readUpdate(object, kind, otherKinds());
      } catch (error) {
        drop(id);
        throw error;
      }
    }

    function put(id: string, update: WorkloadUpdate | undefined): void {
      if (update === undefined) return;
      objects.add(id);
      take(update);
    }

    function drop(id: string): void {
      if (objects.remove(id)) remove(id);
    }

    return {
      begin: objects.begin,
      apply(type, object) {
        const identity = identityOf(object);
        if (identity === undefined) return;
        const id = workloadKey({ kind, ...identity });
        if (type !== 'DELETED') {
          if (objects.has(id) && knows(id, identity)) objects.add(id);
          else put(id, read(id, object));
        } else drop(id);
      },
      end() {
        for (const id of objects.end()) remove(id);
      },
      rewound() {
        for (const id of objects.keys()) rewound?.(id);
      },
      close() {
        for (const id of objects.close()) remove(id);
      },
    };
  }
  return { create };
}

/** Of the template of one workload: each is kept. */
const mostUses = 500;

/** Returns undefined if the object has no identity. Throws if it is too large to be managed. */
export function readUpdate(
  object: unknown,
  name: string,
  otherKinds: readonly OtherKind[],
): WorkloadUpdate | undefined {
  const summary = readWorkload(object, name, otherKinds);
  if (summary === undefined) return undefined;
  const uses = usesOf(podTemplateOf(object, summary.kind), summary.ref.namespace, { imagePullSecrets: 'hash' });
  if (uses.length > mostUses)
    throw new Error(`it has ${uses.length} references to ConfigMaps and Secrets; at most ${mostUses} can be followed`);
  const copy = summary.kind.restart === 'recreation' ? readJobCopy(object) : undefined;
  return { summary, uses, ...(copy === undefined ? {} : { copy }) };
}
