import { isDeepStrictEqual } from 'node:util';
import type { ApiStore, KubeObject } from '@weeder/embedded-cluster';
import { configMaps, secrets } from '@weeder/embedded-cluster/resources';
import type { SourceKind } from '../../restart/references/refs.ts';
import { usesOf } from '../../restart/references/uses.ts';
import { home } from './objects.ts';
import type { Restarter } from './restarter.ts';
import { templateIn, templatePatch, workloadsIn } from './templates.ts';

const kinds = [
  { kind: 'ConfigMap', resource: configMaps },
  { kind: 'Secret', resource: secrets },
] as const;

/**
 * For comparison: immediately restarts each workload that names a source, whenever the content of the source changes.
 * It detects only changes that it has observed, and does not react to the deletion or creation of a source.
 */
export function plainWatcher(store: ApiStore): Restarter {
  let parts: (() => void)[] = [];
  let restarts = 0;

  function restart(source: SourceKind, { metadata }: KubeObject): void {
    for (const { ref, resource, object } of workloadsIn(store)) {
      const uses = usesOf(templateIn(object), home, { imagePullSecrets: 'ignore' });
      if (!uses.some((use) => use.source.kind === source && use.source.name === metadata.name)) continue;
      restarts += 1;
      const annotations = { 'demo.weeder.dev/restarts': String(restarts) };
      store.patch(resource, home, ref.name, templatePatch(ref.kind, { metadata: { annotations } }));
    }
  }

  return {
    async start() {
      parts = kinds.map(({ kind, resource }) => {
        const contents = new Map<string, unknown>();
        return store.watch(resource, { namespace: home }, (type, object) => {
          if (type === 'DELETED') return;
          const { name } = object.metadata;
          const isChanged = contents.has(name) && !isDeepStrictEqual(contents.get(name), object['data']);
          contents.set(name, object['data']);
          if (isChanged) restart(kind, object);
        });
      });
    },
    async stop() {
      for (const stop of parts) stop();
      parts = [];
    },
    isSettled: () => true,
  };
}
