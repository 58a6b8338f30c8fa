import { arrayOf, type JsonObject, numberOf, objectOf, textOf } from '../../base/json.ts';
import { mergePatch } from '../../kube/objects/mergePatch.ts';
import type { WorkloadKind } from '../../kube/objects/workloadKinds.ts';
import {
  podTemplateOf,
  templateAnnotation,
  templateAnnotationOf,
  templateHashOf,
} from '../../restart/model/podTemplate.ts';
import { type WorkloadRef, workloadKey } from '../../restart/model/refs.ts';
import { readWorkload, workloadAnnotations } from '../../restart/model/workloadSummary.ts';
import { rolloutOf } from '../../restart/pods/rollout.ts';

/** The workloads of a recording as they would have been without the restarts of then. */
interface SimulatedWorkloads {
  /**
   * As it is now: what weeder wrote on it since it was seen first is left out, and so is each rollout that is not
   * somebody else's.
   */
  observe(object: object, kind: WorkloadKind): JsonObject;
  /** Its pods are recreated now. */
  rollOut(workload: WorkloadRef): void;
  /** One pod stands for all of a workload; those of the workloads with this selector, as JSON. */
  pods(namespace: string, selector: string): object[];
}

interface SimulatedWorkload {
  readonly ref: WorkloadRef;
  readonly uid: string;
  readonly selector: string;
  readonly containers: readonly string[];
  readonly templateHash: string;
  /** What was written on it when it was seen first. */
  readonly written: JsonObject;
  readonly hash: string | undefined;
  /** Somebody else's template is being rolled out. */
  readonly isReleasing: boolean;
  /** When its pods were made: since the epoch, in milliseconds. */
  madeAt: number;
}

/** Before a recording begins its pods are taken to be old. Milliseconds. */
const longAgo = 24 * 3_600_000;

export function createSimulatedWorkloads(now: () => number): SimulatedWorkloads {
  const began = now();
  const workloads = new Map<string, SimulatedWorkload>();

  function imagine(object: object, kind: WorkloadKind): SimulatedWorkload | undefined {
    const events = readWorkload(object, kind);
    if (events === undefined) return undefined;
    const id = workloadKey(events.ref);
    const before = workloads.get(id);
    const known = before?.uid === events.uid ? before : undefined;
    const template = podTemplateOf(object, kind);
    const templateHash = templateHashOf(template);
    const isRelease = known !== undefined && (known.isReleasing || known.templateHash !== templateHash);
    const isReleasing = isRelease && rolloutOf(events).is !== 'complete';
    const annotations = objectOf(objectOf(objectOf(object)['metadata'])['annotations']);
    const simulated: SimulatedWorkload = {
      ref: events.ref,
      uid: events.uid,
      selector: JSON.stringify(events.selector),
      containers: arrayOf(objectOf(template['spec'])['containers']).map((each) => String(objectOf(each)['name'])),
      templateHash,
      written: known?.written ?? { [workloadAnnotations.state]: annotations[workloadAnnotations.state] ?? null },
      hash: known === undefined ? templateAnnotationOf(template) : known.hash,
      isReleasing,
      madeAt: isRelease && !isReleasing ? now() : (known?.madeAt ?? began - longAgo),
    };
    workloads.set(id, simulated);
    return simulated;
  }

  return {
    observe(object, kind) {
      const simulated = imagine(object, kind);
      if (simulated === undefined) return objectOf(object);
      const template = { metadata: { annotations: { [templateAnnotation]: simulated.hash ?? null } } };
      return mergePatch(object, {
        metadata: { annotations: { ...simulated.written, [workloadAnnotations.changeCause]: null } },
        spec: kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template },
        ...(simulated.isReleasing ? {} : { status: completeStatus(objectOf(object), kind) }),
      });
    },
    rollOut(workload) {
      const simulated = workloads.get(workloadKey(workload));
      if (simulated !== undefined) simulated.madeAt = now();
    },
    pods: (namespace, selector) =>
      [...workloads.values()]
        .filter(({ ref, selector: its }) => ref.namespace === namespace && its === selector)
        .map(podOf),
  };
}

/** The numbers of a rollout that is over. */
function completeStatus(object: JsonObject, kind: WorkloadKind): JsonObject {
  const { metadata, spec, status: given } = object;
  const status = objectOf(given);
  const observedGeneration = objectOf(metadata)['generation'] ?? null;
  if (kind === 'DaemonSet') {
    const desired = numberOf(status['desiredNumberScheduled']) ?? 0;
    return {
      observedGeneration,
      currentNumberScheduled: desired,
      updatedNumberScheduled: desired,
      numberAvailable: desired,
    };
  }
  const replicas = numberOf(objectOf(spec)['replicas']) ?? 1;
  const currentRevision = textOf(status['updateRevision']) ?? null;
  return {
    observedGeneration,
    replicas,
    updatedReplicas: replicas,
    availableReplicas: replicas,
    currentRevision,
    conditions: [],
  };
}

function podOf({ ref, uid, containers, madeAt }: SimulatedWorkload): object {
  const isOfSet = ref.kind === 'Deployment';
  const owner = isOfSet ? { kind: 'ReplicaSet', name: ref.name, uid: `${uid}-set` } : { ...ref, uid };
  const at = new Date(madeAt).toISOString();
  return {
    metadata: {
      namespace: ref.namespace,
      name: `${ref.name}-0`,
      uid: `${uid} ${madeAt}`,
      resourceVersion: '1',
      creationTimestamp: at,
      ownerReferences: [{ kind: owner.kind, name: owner.name, uid: owner.uid, controller: true }],
    },
    status: {
      phase: 'Running',
      containerStatuses: containers.map((name) => ({ name, restartCount: 0, state: { running: { startedAt: at } } })),
    },
  };
}
