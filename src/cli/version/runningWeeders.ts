import { arrayOf, type JsonObject, numberOf, objectOf, ok, type Result, textOf } from '@weeder/kube-runtime/base';
import { workloadsPath } from '@weeder/kube-runtime/objects';
import type { ListReader } from '../../base/listReader.ts';
import type { Content } from '../data/shapes.ts';

type RunningWeeder = NonNullable<Content<'Version'>['running']>[number];

/** The label of the workloads and pods of all install files, and of the chart. */
export const weederLabel = 'app.kubernetes.io/name=weeder';

/** The Deployments and StatefulSets of weeder, with their versions. */
export async function runningWeeders(
  namespaces: 'all' | readonly string[],
  { readOne }: Pick<ListReader, 'readOne'>,
): Promise<Result<RunningWeeder[]>> {
  const running: RunningWeeder[] = [];
  for (const kind of ['Deployment', 'StatefulSet'] as const) {
    for (const namespace of namespaces === 'all' ? [undefined] : namespaces) {
      const what = `${kind.toLowerCase()}s${namespace === undefined ? '' : ` in ${namespace}`}`;
      const list = await readOne(workloadsPath(kind, namespace), what, { labelSelector: weederLabel, limit: 500 });
      if (!list.ok) return list;
      running.push(...arrayOf(list.value?.['items']).flatMap((item) => runningWeeder(kind, objectOf(item))));
    }
  }
  return ok(running);
}

function runningWeeder(kind: RunningWeeder['kind'], { metadata, spec, status }: JsonObject): RunningWeeder[] {
  const { namespace, name, labels } = objectOf(metadata);
  const { template, replicas } = objectOf(spec);
  const image = textOf(weederContainer(objectOf(objectOf(template)['spec']))['image']);
  // Other objects of the chart may have the label, too.
  if (image === undefined) return [];
  const version = tagOf(image) ?? textOf(objectOf(labels)['app.kubernetes.io/version']);
  return [
    {
      kind,
      namespace: textOf(namespace) ?? '',
      name: textOf(name) ?? '',
      ...(version === undefined ? {} : { version }),
      image,
      replicas: numberOf(replicas) ?? 1,
      ready: numberOf(objectOf(status)['readyReplicas']) ?? 0,
    },
  ];
}

/** The container of weeder in the spec of a pod; empty: the pod has no container. */
export function weederContainer({ containers }: JsonObject): JsonObject {
  const all = arrayOf(containers).map(objectOf);
  return all.find(({ name }) => name === 'weeder') ?? all[0] ?? {};
}

/** The tag of an image, if it is a version: of `ghcr.io/a/weeder:0.1.0@sha256:…` it is `0.1.0`. */
function tagOf(image: string): string | undefined {
  const [, tag] = /:v?(\d+\.\d+\.\d[\w.+-]*)(?:@|$)/.exec(image) ?? [];
  return tag;
}
