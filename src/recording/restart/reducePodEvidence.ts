import { arrayOf, type JsonObject, objectOf } from '../../base/json.ts';
import { templateAnnotation } from '../../restart/model/podTemplate.ts';
import { pick } from '../file/pick.ts';

const readLabels = ['pod-template-hash', 'controller-revision-hash', 'pod-template-generation'];

/** Reduces a pod that was listed as evidence to the fields that `readPod` reads, in their places. */
export function reducePodEvidence(object: unknown): object {
  const { metadata, spec, status: givenStatus } = objectOf(object);
  const [meta, status] = [objectOf(metadata), objectOf(givenStatus)];
  const owners = arrayOf(meta['ownerReferences']).map(objectOf);
  return {
    metadata: {
      ...pick(meta, ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp']),
      labels: pick(objectOf(meta['labels']), readLabels),
      annotations: pick(objectOf(meta['annotations']), [templateAnnotation]),
      ownerReferences: owners
        .filter(({ controller }) => controller === true)
        .map((owner) => pick(owner, ['kind', 'name', 'uid', 'controller'])),
    },
    spec: pick(objectOf(spec), ['nodeName']),
    status: {
      ...pick(status, ['phase']),
      conditions: arrayOf(status['conditions']).map((each) => pick(objectOf(each), ['type', 'status'])),
      containerStatuses: arrayOf(status['containerStatuses']).map(reduceStatus),
      initContainerStatuses: arrayOf(status['initContainerStatuses']).map(reduceStatus),
    },
  };
}

function reduceStatus(container: unknown): object {
  const { state, lastState, ...rest } = objectOf(container);
  return {
    ...pick(rest, ['name', 'restartCount']),
    state: reduceState(objectOf(state)),
    lastState: reduceState(objectOf(lastState)),
  };
}

function reduceState({ waiting, running, terminated }: JsonObject): object {
  return {
    ...(waiting === undefined ? {} : { waiting: pick(objectOf(waiting), ['reason']) }),
    ...(running === undefined ? {} : { running: pick(objectOf(running), ['startedAt']) }),
    ...(terminated === undefined ? {} : { terminated: pick(objectOf(terminated), ['exitCode', 'startedAt']) }),
  };
}
