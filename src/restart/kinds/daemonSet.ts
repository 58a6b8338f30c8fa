import { type JsonObject, numberOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import { isController, type Kind } from './kind.ts';
import { countOf, noStatus } from './workloadStatus.ts';

/** No node has this label, so a DaemonSet that requires it gets no pods. */
export const noNode = 'weeder.dev/emptied';

export const daemonSet: Kind = {
  templatePath: ['spec', 'template'],
  restart: 'rollout',
  isPaused: () => false,
  updateStrategy: (spec) => (objectOf(spec['updateStrategy'])['type'] === 'OnDelete' ? 'onDelete' : 'rolling'),
  replicas: (_, status) => countOf(status, 'desiredNumberScheduled'),
  status: (status, annotations) => ({
    ...noStatus,
    observedGeneration: numberOf(status['observedGeneration']),
    pods: countOf(status, 'currentNumberScheduled'),
    updated: countOf(status, 'updatedNumberScheduled'),
    available: countOf(status, 'numberAvailable'),
    templateGeneration: textOf(annotations['deprecated.daemonset.template.generation']),
  }),
  hasEndedUpdate: () => true,
  isOwner: isController,
  hasOlderTemplate: (pod, status) => pod.templateGeneration !== status.templateGeneration,
  waitsForEachPod: false,
  reportsByEvents: true,
  emptying: {
    losesVolumes: () => false,
    isEmpty: (_, template) => objectOf(objectOf(template['spec'])['nodeSelector'])[noNode] !== undefined,
    empty: nodesPatch('true'),
    restore: () => nodesPatch(null),
  },
};

function nodesPatch(value: string | null): JsonObject {
  return { spec: { template: { spec: { nodeSelector: { [noNode]: value } } } } };
}
