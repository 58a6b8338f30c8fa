import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import {
  barePod,
  ownedPod,
  type PodOptions,
  type PodStatusChange,
  running,
  setPodStatus,
  setSlice,
  type TestNamespace,
  temporaryFile,
  testNamespace,
  waiting,
  watchDeletions,
} from '../support/cluster.ts';
import { declaringPod } from '../support/declaring.ts';
import { eventsWith } from '../support/events.ts';
import { startWeederInProcess } from '../support/inProcessWeeder.ts';

const run = promisify(execFile);
const checkout = join(import.meta.dirname, '../../..');

/** As kubelet 1.36.3 with containerd 1.6 has reported it. */
function backedOff(image: string, error: string) {
  const resolving = `failed to pull and unpack image "${image}": failed to resolve reference "${image}"`;
  const message = `Back-off pulling image "${image}": ErrImagePull: ${resolving}: ${error}`;
  return waiting('ImagePullBackOff', message);
}

const request = 'failed to do request: Head "https://10.96.0.12:5000/v2/web/manifests/1"';
const refused = `${request}: dial tcp 10.96.0.12:5000: connect: connection refused`;

/** Pods of a namespace with a registry, which declare it and have never started. */
function pulling(ns: TestNamespace) {
  const image = `registry.${ns.name}.svc.cluster.local:5000/web:1`;
  const labels = { 'weeder.dev/depends-on': 'registry' };
  const status = (error: string, from = image): PodStatusChange => ({
    phase: 'Pending',
    containers: { main: backedOff(from, error) },
  });
  async function pod(name: string, change: PodStatusChange = status(refused), options: Partial<PodOptions> = {}) {
    await ownedPod(ns, name, { labels, image, ...options });
    return setPodStatus(ns, name, change);
  }
  return { image, labels, status, pod };
}

suite('images of a declared registry', { concurrency: true }, () => {
  test('when the registry recovers, the pods that have never started without it are deleted, and no others', async (t) => {
    const ns = await testNamespace(t, 'pulls');
    const observer = await watchDeletions(ns);
    const { image, labels, status, pod } = pulling(ns);
    await setSlice(ns, 'registry', { ready: [false] });
    const web = await pod('web');
    await pod('not-found', status(`${image}: not found`));
    await pod('elsewhere', status(refused, 'docker.io/library/web:1'), { image: 'docker.io/library/web:1' });
    await pod('undeclared', undefined, { labels: { app: 'web' } });
    await pod('init-completed', undefined, { initContainers: ['init'] });
    await pod(
      'sidecar-runs',
      { phase: 'Pending', containers: { main: backedOff(image, refused), proxy: running() } },
      { sidecars: ['proxy'] },
    );
    await barePod(ns, 'bare', { labels, image });
    await setPodStatus(ns, 'bare', status(refused));
    const config = { declaredDependencies: { namespaces: [ns.name] } };
    const weeder = startWeederInProcess(t, { cluster: ns.cluster, config, eventInstance: 'pulls' });
    await weeder.ready();

    const configFile = temporaryFile('config.yaml');
    writeFileSync(configFile, JSON.stringify(config));
    const flags = [`--config-file=${configFile}`, `--kubeconfig=${ns.cluster.kubeconfigFor('admin')}`];
    const explained = await run(process.execPath, ['src/cli/weeder.ts', 'explain', ...flags], { cwd: checkout });
    const what = 'container main, restarts 0, image not pulled, ImagePullBackOff: dial tcp 10.96.0.12:5000';
    assert.match(
      explained.stdout,
      new RegExp(`/web {2}${what}: connect: connection refused {2}→ would be deleted in a window\n`),
    );
    assert.match(explained.stdout, /\/not-found {2}container main, ImagePullBackOff {2}→ left alone/);

    await setSlice(ns, 'registry', { ready: [true] });
    await observer.untilDeleted(web.metadata.uid);
    await observer.untilDeleted((await declaringPod(ns, 'marker', 'registry')).metadata.uid);
    await observer.caughtUp();
    const deleted = observer.deletions().map(({ name }) => name);
    assert.deepEqual(deleted.sort(), ['marker', 'web']);
    const [event] = await eventsWith(ns, ['involvedObject.name=web'], ['PodDeleted']);
    assert.equal(
      event?.message,
      'Deleted, because service registry recovered: the image of container main was not pulled, ImagePullBackOff: dial tcp 10.96.0.12:5000: connect: connection refused.',
    );
  });

  test('a pod whose image has been pulled before the window opens is not deleted', async (t) => {
    const ns = await testNamespace(t, 'pulled');
    const observer = await watchDeletions(ns);
    const { pod } = pulling(ns);
    await setSlice(ns, 'registry', { ready: [false] });
    await pod('web');
    const weeder = startWeederInProcess(t, {
      cluster: ns.cluster,
      config: { declaredDependencies: { namespaces: [ns.name] } },
    });
    await weeder.ready();
    await setPodStatus(ns, 'web', { phase: 'Running', containers: { main: running() } });
    await setSlice(ns, 'registry', { ready: [true] });
    await observer.untilDeleted((await declaringPod(ns, 'marker', 'registry')).metadata.uid);
    await observer.caughtUp();
    assert.deepEqual(
      observer.deletions().map(({ name }) => name),
      ['marker'],
    );
  });
});
