/** An object with the mark by which Helm, Argo CD or Flux keep it is released where others are deleted. */

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { labelName } from '../../../../src/observer/objects/fieldManagers.ts';
import { eventually } from '../../support/eventually.ts';
import { at, configMap, isThere, read, untilAbsent } from '../../support/observer/observedObjects.ts';
import { setObserverScene } from '../../support/observer/observerScene.ts';

const marked = (name: string, metadata: JsonObject) => configMap(name, { a: '1' }, { metadata: { name, ...metadata } });
const syncOptions = (value: string) => ({ annotations: { 'argocd.argoproj.io/sync-options': value } });
const prune = 'kustomize.toolkit.fluxcd.io/prune';

const kept = [
  marked('helm', { annotations: { 'helm.sh/resource-policy': 'keep' } }),
  marked('argo-prune', syncOptions('ServerSideApply=true, Prune=false')),
  marked('argo-delete', syncOptions('Delete=false')),
  marked('argo-confirm', syncOptions('Prune=confirm')),
  marked('flux', { annotations: { [prune]: 'disabled' } }),
  marked('flux-label', { labels: { [prune]: 'disabled' } }),
];
const others = [
  configMap('plain', { a: '1' }),
  marked('helm-other', { annotations: { 'helm.sh/resource-policy': 'delete' } }),
  marked('argo-other', syncOptions('ServerSideApply=true,PruneLast=true')),
  marked('flux-other', { annotations: { [prune]: 'enabled' } }),
];
const nameOf = (manifest: JsonObject) => String(at(manifest, 'metadata', 'name'));

suite('objects that Helm, Argo CD or Flux would keep, on a real API server', { concurrency: 2 }, () => {
  for (const [what, how] of [
    ['leave the manifests', 'update'],
    ['belong to a deleted application', 'delete'],
  ] as const)
    test(`those that ${what} are released with their data, and others are deleted`, async (t) => {
      const scene = await setObserverScene(t, 'kept');
      const { ns } = scene;
      const weeder = await scene.start(t);
      const rest = [configMap('rest', { a: '1' })];
      await scene.apply('shop', { manifests: [...kept, ...others, ...rest] });
      await scene.untilInSync('shop');
      const uidOf = async (name: string) => at(await read(ns, 'ConfigMap', name), 'metadata', 'uid');
      const uids = await Promise.all(kept.map((each) => uidOf(nameOf(each))));
      const path = ns.path('apis/weeder.dev/v1alpha1', 'applications', 'shop');
      if (how === 'update') await scene.apply('shop', { manifests: rest });
      else await ns.cluster.api('DELETE', path);
      for (const name of others.map(nameOf))
        await eventually(async () => !(await isThere(ns, 'ConfigMap', name)), { what: `the end of ${name}` });
      for (const name of kept.map(nameOf)) {
        const { labels } = await eventually(
          async (saw) => {
            const metadata = objectOf((await read(ns, 'ConfigMap', name))['metadata']);
            saw(metadata);
            return at(metadata, 'labels', labelName) === undefined && metadata;
          },
          { what: `the release of ${name}` },
        );
        if (name === 'flux-label') assert.equal(objectOf(labels)[prune], 'disabled');
        assert.equal(at(await read(ns, 'ConfigMap', name), 'data', 'a'), '1', name);
      }
      assert.deepEqual(await Promise.all(kept.map((each) => uidOf(nameOf(each)))), uids);
      const released = () => weeder.log.find('resource released', { resource: `ConfigMap ${ns.name}/helm` });
      await eventually(() => released().length === 1, { what: 'the line of the log' });
      assert.equal(released()[0]?.['keptBy'], 'helm.sh/resource-policy: keep');
      if (how === 'delete') await untilAbsent(ns.cluster, path, 'its end');
      else await scene.untilInSync('shop');
    });
});
