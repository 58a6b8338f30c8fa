import { objectOf } from '@weeder/kube-runtime/base';
import { eventually } from '../eventually.ts';
import type { TestNamespace } from '../namespace.ts';

/** The annotation of an object that weeder has retried. */
export const retriedAt = 'weeder.dev/retried-at';

interface Owner {
  readonly kind: string;
  readonly api: string;
  readonly resource: string;
  readonly name: string;
  readonly spec: object;
}

/** An object of this kind with one pod. */
export function owner(kind: string, api: string, spec: object = {}): Owner {
  return { kind, api, resource: `${kind.toLowerCase()}s`, name: kind.toLowerCase(), spec };
}

export const controllers = [
  owner('ReplicaSet', 'apis/apps/v1'),
  owner('StatefulSet', 'apis/apps/v1', { serviceName: 'none' }),
  owner('Deployment', 'apis/apps/v1'),
  owner('Job', 'apis/batch/v1'),
];

export async function createOwner(ns: TestNamespace, { kind, api, resource, name, spec }: Owner): Promise<void> {
  const labels = { app: name };
  const containers = [{ name: 'main', image: 'registry.example/none' }];
  const template = {
    metadata: { labels },
    spec: { containers, ...(kind === 'Job' ? { restartPolicy: 'Never' } : {}) },
  };
  const all = { ...(kind === 'Job' ? {} : { selector: { matchLabels: labels } }), template, ...spec };
  await ns.cluster.api('POST', ns.path(api, resource), { metadata: { name, labels }, spec: all });
}

/** The objects of a kind, with what weeder must not change. */
export async function objectsOf(ns: TestNamespace, api: string, resource: string) {
  const { items } = objectOf(await ns.cluster.api('GET', ns.path(api, resource)));
  return (Array.isArray(items) ? items : []).map((item) => {
    const metadata = objectOf(objectOf(item)['metadata']);
    return {
      name: metadata['name'],
      generation: metadata['generation'],
      annotations: objectOf(metadata['annotations']),
    };
  });
}

/**
 * Waits until the controllers of these apps have failed so often to create a pod that each waits for 15 s at least until
 * it tries again by itself. With a `text`, once is enough.
 */
export async function untilRefused(ns: TestNamespace, apps: readonly string[], text?: string): Promise<void> {
  await eventually(
    async (saw) => {
      const query = `${ns.path('api/v1', 'events')}?fieldSelector=reason%3DFailedCreate`;
      const { items } = objectOf(await ns.cluster.api('GET', query));
      const failures = (Array.isArray(items) ? items : []).map(objectOf).map(({ involvedObject, message, count }) => {
        const { kind, name } = objectOf(involvedObject);
        return { kind: String(kind), name: String(name), message: String(message), count: Number(count) };
      });
      saw(failures);
      return apps.every((app) =>
        failures.some(({ kind, name, message, count }) => {
          const times = text === undefined ? (kind === 'Job' ? 5 : 12) : 1;
          return name.startsWith(app) && message.includes(text ?? 'failed calling webhook') && count >= times;
        }),
      );
    },
    { what: `failures of each of ${apps.join(', ')}`, every: 200 },
  );
}
