import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { streamsLists } from '../../support/api/watchList.ts';
import { setSlice, startWeeder } from '../support/cluster.ts';
import { guardFolder } from '../support/plane/process.ts';
import { type RequestProxy, startRequestProxy } from '../support/plane/requestProxy.ts';
import { type Scene, setScene } from '../support/scene.ts';

/** Creates a folder like that of a mounted ConfigMap. `put` swaps the link `..data`, as the kubelet does. */
function mountedConfig() {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-mounted-'));
  guardFolder(folder);
  let version = 0;
  symlinkSync(join('..data', 'weeder.yaml'), join(folder, 'weeder.yaml'));
  return {
    file: join(folder, 'weeder.yaml'),
    put(content: object | string): void {
      version += 1;
      mkdirSync(join(folder, `..version_${version}`));
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      writeFileSync(join(folder, `..version_${version}`, 'weeder.yaml'), text);
      symlinkSync(`..version_${version}`, join(folder, '..data_tmp'));
      renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    },
  };
}

/** The number of lists, by label selector. */
function listsOf({ requests }: RequestProxy): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method, path } of requests) {
    const url = new URL(path, 'https://any');
    const isComplete = streamsLists() ? url.searchParams.has('sendInitialEvents') : !url.searchParams.has('watch');
    const selector = url.searchParams.get('labelSelector');
    if (method === 'GET' && isComplete && selector !== null) counts[selector] = (counts[selector] ?? 0) + 1;
  }
  return counts;
}

function configFor({ service, labels }: Scene, others: Readonly<Record<string, object>> = {}): object {
  const own = { [service]: { watchDuration: '40s', podSelectors: [{ matchLabels: labels }] } };
  return { servicesAndDependantSelectors: { ...own, ...others } };
}

suite('reloads of the config', { concurrency: true }, () => {
  test('a mounted ConfigMap changes: weeder applies a valid config, and rejects an invalid one', async (t) => {
    const scene = await setScene(t, 'reload');
    const { ns, service, labels } = scene;
    const proxy = await startRequestProxy(t, ns.cluster, () => {});
    const mounted = mountedConfig();
    const [added, addedLabels] = [`added-${ns.name}`, { app: `added-${ns.name}` }];
    await scene.endpoints(false);
    await setSlice(ns, added, { ready: [true] });
    mounted.put(configFor(scene));
    const weeder = startWeeder(t, {
      cluster: ns.cluster,
      config: '',
      kubeconfig: proxy.kubeconfig,
      flags: [`--config-file=${mounted.file}`],
      expects: { errorLines: /config rejected/ },
    });
    await weeder.ready();
    await scene.endpoints(true);
    const opened = await weeder.log.until('service recovered, window opened', { service });

    mounted.put('watchDuration: 5\nservicesAndDependantSelectors: {a: {podSelectors: []}}\n');
    const rejected = await weeder.log.until('config rejected, previous config stays in force', { generation: 2 });
    const errors = JSON.stringify(rejected['errors']);
    assert.match(errors, /weeder\.yaml has 2 errors:.*weeder\.yaml:1:16 watchDuration: .*weeder\.yaml:2:51 /);
    await scene.untilDeleted(await scene.pod('under-the-old-config'));

    const other = { [added]: { podSelectors: [{ matchLabels: addedLabels }], onStart: 'never' } };
    mounted.put(configFor(scene, other));
    const names = { added: [added], changed: [], removed: [] };
    const applied = await weeder.log.until('config applied', { generation: 3, ...names });
    await weeder.log.until('service is ready, and no window is due', { service: added });
    const late = await scene.pod('of-the-new-service', undefined, { labels: addedLabels });
    await scene.untilDeleted(await scene.pod('of-the-old-service'));
    await setSlice(ns, added, { ready: [false] });
    await setSlice(ns, added, { ready: [true] });
    await scene.untilDeleted(late);

    const closed = await weeder.log.until('window closed', { service });
    const [lasted, more] = [opened, applied].map(({ time }) => Date.parse(closed.time) - Date.parse(time));
    // The line of the opening is written later than the window opens.
    assert.ok(lasted !== undefined && lasted >= 39_000, `the window lasted ${lasted} ms`);
    assert.ok(more !== undefined && more < 40_000, 'the window began again with the new config');
    assert.equal(weeder.log.find('service recovered, window opened', { service }).length, 1);
    assert.equal(weeder.log.find(/^config rejected/).length, 1);
    const text = (given: Readonly<Record<string, string>>) => `app=${given['app']}`;
    assert.deepEqual(listsOf(proxy), {
      [`kubernetes.io/service-name in (${service})`]: 1,
      [`kubernetes.io/service-name in (${[service, added].sort().join()})`]: 1,
      [text(labels)]: 1,
      [text(addedLabels)]: 1,
    });
  });

  test('on SIGHUP weeder reads the file at once, and a removed service causes no further deletions', async (t) => {
    const scene = await setScene(t, 'hangup');
    const { ns, service, labels } = scene;
    const mounted = mountedConfig();
    const [other, otherLabels] = [`other-${ns.name}`, { app: `other-${ns.name}` }];
    const rest = { [other]: { podSelectors: [{ matchLabels: otherLabels }] } };
    await scene.endpoints(false);
    await setSlice(ns, other, { ready: [false] });
    mounted.put(configFor(scene, rest));
    const flags = [`--config-file=${mounted.file}`];
    const weeder = startWeeder(t, { cluster: ns.cluster, config: '', flags });
    await weeder.ready();
    weeder.signal('SIGHUP');
    await weeder.log.until('SIGHUP: the config file has not changed');
    mounted.put({ servicesAndDependantSelectors: rest });
    weeder.signal('SIGHUP');
    await weeder.log.until('config applied', { generation: 2, added: [], changed: [], removed: [service] });
    const unaffected = await scene.pod('unaffected', undefined, { labels });
    await scene.endpoints(true);
    const affected = await scene.pod('affected', undefined, { labels: otherLabels });
    await setSlice(ns, other, { ready: [true] });
    await scene.untilDeleted(affected);
    await scene.observer.caughtUp();
    scene.assertDeleted(affected);
    assert.notEqual(unaffected.metadata.uid, affected.metadata.uid);
    assert.equal(weeder.log.find('service recovered, window opened', { service }).length, 0);
  });
});
