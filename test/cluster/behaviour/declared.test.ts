import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import {
  crashLoopBackOff,
  grant,
  ownedPod,
  patchPodMetadata,
  running,
  setPodStatus,
  setSlice,
  startWeeder,
  type TestNamespace,
  temporaryFile,
  terminated,
  testNamespace,
  watchDeletions,
} from '../support/cluster.ts';
import { declaringPod, declaringWorkloads } from '../support/declaring.ts';
import { eventsWith } from '../support/events.ts';
import { type InProcessOptions, startWeederInProcess } from '../support/inProcessWeeder.ts';
import type { Cluster } from '../support/plane/access.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';
import { setRestartScene } from '../support/restart/restartScene.ts';

const run = promisify(execFile);
const checkout = join(import.meta.dirname, '../../..');

const ofWeeder = [
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'get', 'delete'] },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
];
const up = { ready: [true] };
const down = { ready: [false] };

/** A config without any service, for declarations of pods in these namespaces. */
function configFor(namespaces: readonly TestNamespace[], settings: object = {}): object {
  return { declaredDependencies: { namespaces: namespaces.map(({ name }) => name), ...settings } };
}

async function started(t: TestContext, ns: TestNamespace, options: Partial<InProcessOptions> = {}) {
  const weeder = startWeederInProcess(t, { cluster: ns.cluster, config: configFor([ns]), ...options });
  await weeder.ready();
  return weeder;
}

/** A namespace with an observer of the deletions in it. */
async function home(t: TestContext, prefix = 'declared', cluster?: Cluster) {
  const ns = await testNamespace(t, prefix, cluster);
  const observer = await watchDeletions(ns);
  return {
    ns,
    observer,
    deleted: () =>
      observer
        .deletions()
        .map(({ name }) => name)
        .sort(),
  };
}

suite('declared dependencies', { concurrency: true }, () => {
  test('a service that is declared only later, during its outage, recovers like any other', async (t) => {
    const { ns, observer } = await home(t);
    const weeder = await started(t, ns);
    await setSlice(ns, 'db', down);
    const pod = await declaringPod(ns, 'web', 'db');
    await setSlice(ns, 'db', up);
    await observer.untilDeleted(pod.metadata.uid);
    assert.equal(weeder.eventsOf('window.opened').length, 1);
  });

  test('a new label counts from then on, and a removed one no longer', async (t) => {
    const { ns, observer, deleted } = await home(t);
    await setSlice(ns, 'db', down);
    await declaringPod(ns, 'leaves', 'db');
    await ownedPod(ns, 'joins', { labels: { app: 'web' } });
    await started(t, ns);
    await patchPodMetadata(ns, 'leaves', { labels: { 'weeder.dev/depends-on': null } });
    const joins = await patchPodMetadata(ns, 'joins', { labels: { 'weeder.dev/depends-on': 'db' } });
    const crashing = await declaringPod(ns, 'crashing', 'db');
    await setPodStatus(ns, 'joins', crashLoopBackOff(3));
    await setSlice(ns, 'db', up);
    await Promise.all([joins, crashing].map((pod) => observer.untilDeleted(pod.metadata.uid)));
    await observer.caughtUp();
    assert.deepEqual(deleted(), ['crashing', 'joins']);
  });

  test('a service that is declared while others are down leaves no gap and opens no window for them', async (t) => {
    const { ns, observer, deleted } = await home(t);
    await setSlice(ns, 'db', down);
    const names = Array.from({ length: 6 }, (_, index) => `other-${index}`);
    for (const name of names) await setSlice(ns, name, up);
    const web = await declaringPod(ns, 'web', 'db');
    const weeder = await started(t, ns, { config: configFor([ns], { onStart: 'never' }) });
    // Each of them replaces the stream of EndpointSlices, while the service goes up and down.
    for (const name of names) {
      await declaringPod(ns, `of-${name}`, name);
      await weeder.log.until('service is ready, and no window is due', { service: name });
      await setSlice(ns, 'db', { ready: [false, false] });
    }
    assert.deepEqual([weeder.eventsOf('window.opened').length, deleted()], [0, []]);
    await declaringPod(ns, 'of-last', 'last');
    await setSlice(ns, 'db', up);
    await observer.untilDeleted(web.metadata.uid);
    await observer.caughtUp();
    assert.deepEqual(
      weeder.eventsOf('window.opened').map(({ service }) => service),
      ['db'],
    );
    assert.deepEqual(deleted(), ['web']);
  });

  test('what is wrong with a declaration is one Event on its workload, with the uid of that, and one line', async (t) => {
    const { ns } = await home(t);
    const weeder = await started(t, ns, { eventInstance: 'weeder-test' });
    const uids = await declaringWorkloads(ns, 'Data_Base');
    for (const [kind, name] of [
      ['Deployment', 'web'],
      ['CronJob', 'report'],
    ] as const) {
      // The selectors of `kubectl describe`.
      const selectors = [`involvedObject.kind=${kind}`, `involvedObject.name=${name}`];
      const [event] = await eventsWith(ns, [...selectors, `involvedObject.uid=${uids[kind]}`], ['DeclarationProblem']);
      assert.equal(event?.type, 'Warning');
      assert.match(
        event?.message ?? '',
        /^Declared dependency: "Data_Base" names no service: write NAME, or NAME\.NAMESPACE/,
      );
    }
    await declaringPod(ns, 'absent', 'nowhere');
    await weeder.log.until('problem with a declared dependency', { workload: `ConfigMap ${ns.name}/owner-of-absent` });
    const events = await eventsWith(
      ns,
      ['reason=DeclarationProblem'],
      Array.from({ length: 3 }, () => 'DeclarationProblem'),
    );
    const [absent] = events.filter(({ involvedObject }) => involvedObject.name === 'owner-of-absent');
    assert.match(absent?.message ?? '', new RegExp(`: ${ns.name}/nowhere has no EndpointSlice: `));
    assert.equal(weeder.log.find('problem with a declared dependency').length, 3);
  });

  test('without permission to read ReplicaSets and Jobs the Events have no uid, and the log names each rule once', async (t) => {
    const { ns } = await home(t);
    const user = ns.cluster.takeUser();
    const granted = await grant(ns.cluster, user, [
      ...ofWeeder,
      { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    ]);
    t.after(() => granted.revoke());
    const weeder = await started(t, ns, { user, eventInstance: 'weeder-test' });
    await declaringWorkloads(ns, 'Data_Base');
    // The selectors of `kubectl events --for`.
    const of = (apiVersion: string, kind: string, name: string) =>
      Object.entries({ apiVersion, kind, name }).map(([key, value]) => `involvedObject.${key}=${value}`);
    const [event] = await eventsWith(ns, of('apps/v1', 'Deployment', 'web'), ['DeclarationProblem']);
    assert.equal(event?.involvedObject.uid, undefined);
    await eventsWith(ns, of('batch/v1', 'Job', 'report-29412345'), ['DeclarationProblem']);
    const lines = weeder.log.find(/^the workload of an Event cannot be read/);
    assert.deepEqual(
      lines.map(({ cause }) => /Grant it in a Role in namespace [\w-]+: (.*)\.$/.exec(String(cause))?.[1]).sort(),
      ['apps', 'batch'].map(
        (group) =>
          `{apiGroups: ["${group}"], resources: ["${group === 'apps' ? 'replicasets' : 'jobs'}"], verbs: ["get"]}`,
      ),
    );
  });

  test('with --namespaces a Role suffices, and a service of another namespace is reported', async (t) => {
    const [{ ns, observer, deleted }, other] = [await home(t), await home(t, 'unwatched')];
    const { cluster, name } = ns;
    const user = cluster.takeUser();
    await grant(cluster, user, ofWeeder, { namespace: name });
    await setSlice(ns, 'db', down);
    await setSlice(other.ns, 'db', down);
    const pod = await declaringPod(ns, 'web', 'db');
    await declaringPod(ns, 'far', `db.${other.ns.name}`);
    const weeder = await started(t, ns, { user, namespaces: [name], config: { declaredDependencies: {} } });
    const { problem } = await weeder.log.until('problem with a declared dependency');
    assert.match(
      String(problem),
      new RegExp(`^${other.ns.name}/db cannot be seen: weeder does not watch this namespace`),
    );
    await setSlice(other.ns, 'db', up);
    await setSlice(ns, 'db', up);
    await observer.untilDeleted(pod.metadata.uid);
    await observer.caughtUp();
    assert.deepEqual(deleted(), ['web']);
  });

  test('a recording is replayed to the same decisions', async (t) => {
    const { ns, observer } = await home(t);
    for (const service of ['db', 'redis']) await setSlice(ns, service, down);
    const first = await declaringPod(ns, 'first', 'db');
    const file = temporaryFile('declared.jsonl');
    const weeder = startWeeder(t, { cluster: ns.cluster, config: configFor([ns]), flags: [`--record=${file}`] });
    await weeder.ready();
    const later = await declaringPod(ns, 'later', 'redis', { state: terminated(3) });
    await setSlice(ns, 'db', up);
    await observer.untilDeleted(first.metadata.uid);
    await setSlice(ns, 'redis', up);
    await observer.untilDeleted(later.metadata.uid);
    await weeder.log.until(/^pod deleted/, {}, { count: 2 });
    await weeder.stop();
    const { stdout } = await run(process.execPath, ['src/cli/weeder.ts', 'replay', file], { cwd: checkout });
    assert.match(stdout, /\n\nthe same decisions as recorded/);
    assert.equal(stdout.match(/ pod deleted /g)?.length, 2, stdout);
  });

  test('explain lists the declared services with their dependants, and what is wrong with declarations', async (t) => {
    const { ns, deleted } = await home(t);
    await setSlice(ns, 'db', up);
    await declaringPod(ns, 'web', 'db', { alsoOn: 'nowhere' });
    await declaringPod(ns, 'healthy', 'db', { state: running() });
    await declaringPod(ns, 'wrong', 'DB');
    const external = { type: 'ExternalName', externalName: 'db.example.com' };
    await ns.cluster.api('POST', `/api/v1/namespaces/${ns.name}/services`, {
      metadata: { name: 'nowhere' },
      spec: external,
    });
    const template = { metadata: { labels: { app: 'away' } }, spec: { containers: [{ name: 'main', image: 'none' }] } };
    await ns.cluster.api('POST', `/apis/apps/v1/namespaces/${ns.name}/deployments`, {
      metadata: { name: 'away', labels: { 'weeder.dev/depends-on': 'db' } },
      spec: { replicas: 0, selector: { matchLabels: { app: 'away' } }, template },
    });
    const file = temporaryFile('config.yaml');
    writeFileSync(file, JSON.stringify(configFor([ns], { watchDuration: '1m' })));
    const args = ['src/cli/weeder.ts', 'explain', `--config-file=${file}`];
    const kubeconfig = `--kubeconfig=${ns.cluster.kubeconfigFor('admin')}`;
    const { stdout } = await run(process.execPath, [...args, kubeconfig], { cwd: checkout });
    const settings = '(declared, window 1m0s, whileNotReady hold, deletion delete)';
    const web = `      ${ns.name}/web  container main, restarts 3, back-off 5m0s restarting failed container  → would be deleted in a window`;
    assert.deepEqual(stdout.trimEnd().split('\n'), [
      `${ns.name}/db  ${settings}`,
      `  ${ns.name}: Ready`,
      '    declared: 2 pods, 1 crash-looping',
      web,
      '',
      `${ns.name}/nowhere  ${settings}`,
      '  is of type ExternalName (db.example.com): it has no EndpointSlices, and weeder cannot know whether it is ready; name a Service without a selector instead, whose EndpointSlices you keep up to date',
      '    declared: 1 pod, 1 crash-looping',
      web,
      '',
      'problems with declared dependencies',
      `  ConfigMap ${ns.name}/owner-of-wrong: "DB" names no service: write NAME, or NAME.NAMESPACE for a service of another namespace`,
      '',
      `Deployment ${ns.name}/away declares a dependency where weeder does not see it: write \`weeder.dev/depends-on: db\` into spec.template.metadata.labels`,
    ]);
    assert.deepEqual(deleted(), []);
  });
});

suite('declared dependencies beside restart control', () => {
  // A weeder of another test that watches all namespaces would delete the pod that this one keeps.
  const plane = suiteControlPlane({ controllerManager: true });

  test('a config reload and a restart by restart control at the same time as a recovery', async (t) => {
    const cluster = plane();
    const scene = await setRestartScene(t, 'declared-restart', { cluster });
    const { ns, observer, deleted } = await home(t, 'declared-beside', cluster);
    const namespaces = [ns.name, scene.ns.name];
    const section = (watchDuration: string) => ({ declaredDependencies: { namespaces, watchDuration } });
    const file = temporaryFile('weeder.yaml');
    const write = (config: object) => writeFileSync(file, JSON.stringify(config));
    write({ ...scene.config(), ...section('1m') });
    await scene.put('settings', { word: 'one' });
    await scene.make('Deployment', 'api', { uses: { envFrom: [{ configMapRef: { name: 'settings' } }] } });
    // The workload that restarts declares a service, too: its pods vanish for a moment.
    const labels = { 'weeder.dev/depends-on': `db.${ns.name}` };
    await scene.patch('Deployment', 'api', { spec: { template: { metadata: { labels } } } });
    for (const service of ['db', 'redis']) await setSlice(ns, service, down);
    const pods = [await declaringPod(ns, 'web', 'db'), await declaringPod(ns, 'cache', 'redis')];
    const flags = [`--config-file=${file}`, `--namespaces=${namespaces}`];
    const weeder = startWeeder(t, { cluster: ns.cluster, config: '', flags });
    await weeder.ready();
    await scene.untilAdopted('Deployment', 'api');

    await scene.put('settings', { word: 'two' });
    await setSlice(ns, 'db', up);
    write({ ...scene.config(), ...section('2m') });
    weeder.signal('SIGHUP');
    await setSlice(ns, 'redis', up);
    await Promise.all(pods.map((pod) => observer.untilDeleted(pod.metadata.uid)));
    await weeder.log.until('config applied', { declaredDependencies: 'changed' });
    await scene.untilDone('Deployment', 'api', 2);
    assert.equal(weeder.log.find('service recovered, window opened').length, 2);

    write(scene.config());
    weeder.signal('SIGHUP');
    await weeder.log.until('config applied', { declaredDependencies: 'removed' });
    for (const service of ['db', 'redis']) await weeder.log.until('window closed', { service });
    const later = await declaringPod(ns, 'later', 'db');
    for (const endpoints of [down, up]) await setSlice(ns, 'db', endpoints);
    await scene.put('settings', { word: 'three' });
    await scene.untilDone('Deployment', 'api', 3);
    await observer.caughtUp();
    assert.deepEqual(deleted(), ['cache', 'web'], JSON.stringify(weeder.log.find('pod deleted')));

    write({ ...scene.config(), ...section('1m') });
    weeder.signal('SIGHUP');
    await observer.untilDeleted(later.metadata.uid);
    assert.equal(weeder.log.find(/internal error/).length, 0);
  });
});
