import { objectOf } from '@weeder/kube-runtime/base';
import type { TestNamespace } from '../namespace.ts';
import type { KubeObject } from '../objects.ts';
import { watchCollection } from '../plane/watching.ts';

/** A watch of the pod templates of the Deployments in a namespace. */
export interface TemplateWatch {
  /** The number of changes of the template of the newest Deployment of this name. */
  changes(name: string): number;
  /** Resolves when the watch has received all earlier writes. */
  caughtUp(): Promise<void>;
}

const caughtUpLabel = 'test.weeder.dev/marker';

/** Starts a watch that ends with the test or suite. */
export async function watchTemplates(ns: TestNamespace): Promise<TemplateWatch> {
  const seen = new Map<string, { readonly uid: string; readonly template: string; readonly changes: number }>();
  const markers = new Map<string, () => void>();
  const end = new AbortController();
  const path = ns.path('apis/apps/v1', 'deployments');
  const { objects, changes } = await watchCollection(ns.cluster, path, end.signal);

  function note({ metadata, ...rest }: KubeObject): void {
    const { name, uid, labels } = metadata;
    const template = JSON.stringify(objectOf(objectOf(rest)['spec'])['template']);
    const before = seen.get(name);
    const count = before?.uid === uid ? before.changes + Number(before.template !== template) : 0;
    seen.set(name, { uid, template, changes: count });
    markers.get(labels?.[caughtUpLabel] ?? '')?.();
  }

  async function follow(): Promise<void> {
    for (const object of objects) note(object);
    for await (const { object } of changes) note(object);
  }

  const over = follow();
  ns.after(async () => {
    end.abort();
    await over;
  });
  return {
    changes: (name) => seen.get(name)?.changes ?? 0,
    async caughtUp() {
      const marker = `marker-${markers.size + 1}`;
      const { promise, resolve } = Promise.withResolvers<void>();
      markers.set(marker, resolve);
      const selector = { matchLabels: { app: marker } };
      const template = {
        metadata: { labels: { app: marker } },
        spec: { containers: [{ name: 'main', image: 'none:1' }] },
      };
      const metadata = { name: marker, labels: { [caughtUpLabel]: marker } };
      await ns.cluster.api('POST', path, { metadata, spec: { replicas: 0, selector, template } });
      await promise;
    },
  };
}
