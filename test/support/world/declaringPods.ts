import type { ObjectSink } from '@weeder/kube-runtime/watch';
import { dependsOn, dependsOnServices } from '../../../src/weeder/declared/declaration.ts';
import { type PodOptions, pod } from '../objects/objects.ts';

/** A pod of the workload with the same name, which declares these dependencies. */
export function declaringPod(
  label: string,
  { annotation, workload = 'web', ...options }: PodOptions & { annotation?: string; workload?: string } = {},
) {
  const annotations = {
    ...options.annotations,
    ...(annotation === undefined ? {} : { [dependsOnServices]: annotation }),
  };
  const labels = { ...options.labels, [dependsOn]: label };
  const object = pod({
    namespace: 'shop',
    owner: { kind: 'StatefulSet', uid: workload },
    ...options,
    labels,
    annotations,
  });
  const ownerReferences = object.metadata.ownerReferences.map((owner) => ({ ...owner, name: workload }));
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

/** Delivers a complete list. */
export function listInto(sink: ObjectSink | undefined, ...objects: readonly object[]): void {
  if (sink === undefined) throw new Error('there is no such stream');
  sink.begin();
  for (const object of objects) sink.apply('ADDED', object);
  sink.end();
}
