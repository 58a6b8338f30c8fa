import { arrayOf, type JsonObject, objectOf } from '../../base/json.ts';
import { pick } from '../file/pick.ts';

/**
 * Retains only the fields that `src/weeder/pods/crashLooping.ts` and `readiness.ts` read, in their places, so that a
 * replay reads the same values. Environment, arguments and foreign annotations are omitted.
 */
export function reduceWeederObject(kind: string, object: unknown): object {
  return kind === 'Pod' ? reducePod(objectOf(object)) : reduceSlice(objectOf(object));
}

const readAnnotations = ['weeder.dev/ignore', 'kubernetes.io/config.mirror'] as const;

function reducePod({ metadata, spec, status }: JsonObject): object {
  const meta = objectOf(metadata);
  const podSpec = objectOf(spec);
  const podStatus = objectOf(status);
  const owners = arrayOf(meta['ownerReferences']).filter((owner) => objectOf(owner)['controller'] === true);
  return {
    metadata: {
      ...pick(meta, ['uid', 'namespace', 'name', 'resourceVersion', 'creationTimestamp', 'labels']),
      ...pick(meta, ['deletionTimestamp', 'deletionGracePeriodSeconds']),
      annotations: pick(objectOf(meta['annotations']), readAnnotations),
      ...(owners.length === 0
        ? {}
        : { ownerReferences: owners.map((owner) => pick(objectOf(owner), ['kind', 'uid', 'controller'])) }),
    },
    spec: {
      ...pick(podSpec, ['restartPolicy', 'terminationGracePeriodSeconds']),
      containers: arrayOf(podSpec['containers']).map(reduceContainer),
      initContainers: arrayOf(podSpec['initContainers']).map(reduceContainer),
    },
    status: {
      ...pick(podStatus, ['phase']),
      containerStatuses: arrayOf(podStatus['containerStatuses']).map(reduceContainerStatus),
      initContainerStatuses: arrayOf(podStatus['initContainerStatuses']).map(reduceContainerStatus),
    },
  };
}

function reduceContainer(container: unknown): object {
  return pick(objectOf(container), ['name', 'restartPolicy', 'restartPolicyRules']);
}

function reduceContainerStatus(containerStatus: unknown): object {
  const { state, lastState, ...rest } = objectOf(containerStatus);
  return {
    ...pick(rest, ['name', 'restartCount']),
    state: reduceState(objectOf(state)),
    ...(lastState === undefined ? {} : { lastState: reduceState(objectOf(lastState)) }),
  };
}

function reduceState({ waiting, running, terminated }: JsonObject): object {
  return {
    ...(running === undefined ? {} : { running: {} }),
    ...(waiting === undefined ? {} : { waiting: pick(objectOf(waiting), ['reason', 'message']) }),
    ...(terminated === undefined ? {} : { terminated: pick(objectOf(terminated), ['exitCode', 'finishedAt']) }),
  };
}

function reduceSlice({ metadata, endpoints }: JsonObject): object {
  const meta = objectOf(metadata);
  return {
    metadata: {
      ...pick(meta, ['namespace', 'name']),
      labels: pick(objectOf(meta['labels']), ['kubernetes.io/service-name']),
      managedFields: arrayOf(meta['managedFields']).map((field) => pick(objectOf(field), ['time'])),
    },
    endpoints: arrayOf(endpoints).map((endpoint) => {
      const { conditions, targetRef } = objectOf(endpoint);
      return {
        conditions: pick(objectOf(conditions), ['ready']),
        ...(targetRef === undefined ? {} : { targetRef: pick(objectOf(targetRef), ['kind', 'namespace', 'name']) }),
      };
    }),
  };
}
