import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pods } from '../../src/apiserver/strategies/resources.ts';
import { arrayOf, type JsonObject, objectOf, textOf } from '../../src/base/json.ts';
import { startKubelet } from '../../src/kubelet/kubelet.ts';
import { programAnnotation } from '../../src/kubelet/program.ts';
import { demoCluster, storedObject, testNamespace } from '../support/cluster.ts';

const crashes = { needs: 'db', givesUpAfter: 2_000, readyAfter: 1_000 };
const works = { readyAfter: 1_000 };

/** A pod with an init container, a sidecar, a second init container and a main one, each with its own program. */
function cluster(programs: Readonly<Record<string, object>>) {
  const { clock, store, setReady } = demoCluster();
  const stop = startKubelet({ store, clock, version: '1.36', seed: 1 });
  const image = 'x:1';
  const spec = {
    nodeName: 'node-1',
    initContainers: [
      { name: 'migrate', image },
      { name: 'proxy', image, restartPolicy: 'Always' },
      { name: 'check', image },
    ],
    containers: [{ name: 'main', image }],
  };
  const containers = { migrate: works, proxy: works, check: works, main: works, ...programs };
  const annotations = { [programAnnotation]: JSON.stringify({ containers }) };
  storedObject(store.create(pods, { metadata: { name: 'web', namespace: testNamespace, annotations }, spec }));
  const pod = () => store.get(pods, testNamespace, 'web');
  const status = () => objectOf(pod()?.['status']);
  const containerStatus = (name: string): JsonObject =>
    [...arrayOf(status()['initContainerStatuses']), ...arrayOf(status()['containerStatuses'])]
      .map(objectOf)
      .find((each) => each['name'] === name) ?? {};
  const condition = (type: string) =>
    arrayOf(status()['conditions'])
      .map(objectOf)
      .find((each) => each['type'] === type);
  return {
    clock,
    setReady,
    pod,
    status,
    condition,
    /** `terminated Completed`, `waiting CrashLoopBackOff`, `running`. */
    state(name: string): string {
      const [[kind = '', value] = []] = Object.entries(objectOf(containerStatus(name)['state']));
      return [kind, objectOf(value)['reason']].filter((each) => each !== undefined).join(' ');
    },
    /** The message of the state `waiting`. */
    waiting(name: string): string | undefined {
      return textOf(objectOf(objectOf(containerStatus(name)['state'])['waiting'])['message']);
    },
    restarts: (name: string) => containerStatus(name)['restartCount'],
    isReady: (name: string) => containerStatus(name)['ready'],
    stop,
  };
}

test('init containers run in order, a sidecar continues to run, and the main container follows', async () => {
  const web = cluster({});
  await web.clock.pass(1_000);
  assert.deepEqual(['migrate', 'proxy', 'check', 'main'].map(web.state), [
    'running',
    'waiting PodInitializing',
    'waiting PodInitializing',
    'waiting PodInitializing',
  ]);
  assert.equal(web.status()['phase'], 'Pending');
  assert.partialDeepStrictEqual(web.condition('Initialized'), {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: 'containers with incomplete status: [migrate proxy check]',
  });
  await web.clock.pass(1_000);
  assert.deepEqual(['migrate', 'proxy', 'check', 'main'].map(web.state), [
    'terminated Completed',
    'running',
    'running',
    'waiting PodInitializing',
  ]);
  assert.partialDeepStrictEqual(web.condition('Initialized'), {
    message: 'containers with incomplete status: [check]',
  });
  assert.equal(web.status()['phase'], 'Pending');
  await web.clock.pass(5_000);
  assert.deepEqual(['migrate', 'proxy', 'check', 'main'].map(web.state), [
    'terminated Completed',
    'running',
    'terminated Completed',
    'running',
  ]);
  assert.ok(['migrate', 'proxy', 'check', 'main'].every((name) => web.isReady(name) === true && !web.restarts(name)));
  assert.equal(web.status()['phase'], 'Running');
  for (const type of ['Initialized', 'Ready', 'ContainersReady']) {
    assert.equal(web.condition(type)?.['status'], 'True', type);
  }
  web.stop();
  assert.equal(web.clock.pending, 0);
});

test('a crashing init container backs off like any other, and blocks the whole pod', async () => {
  const web = cluster({ check: crashes });
  web.setReady(false);
  await web.clock.pass(30_000);
  assert.ok(Number(web.restarts('check')) >= 2);
  assert.equal(web.status()['phase'], 'Pending');
  assert.equal(web.state('main'), 'waiting PodInitializing');
  assert.equal(web.restarts('main'), 0);
  assert.equal(web.state('migrate'), 'terminated Completed');
  assert.equal(web.state('proxy'), 'running');
  assert.equal(web.state('check'), 'terminated Error');
  assert.partialDeepStrictEqual(web.condition('Initialized'), { status: 'False' });
  web.setReady(true);
  await web.clock.pass(200_000);
  assert.equal(web.state('check'), 'terminated Completed');
  assert.equal(web.state('main'), 'running');
  assert.equal(web.condition('Ready')?.['status'], 'True');
  // Completed init containers do not run again.
  assert.equal(web.restarts('migrate'), 0);
  web.stop();
  assert.equal(web.clock.pending, 0);
});

test("the back-offs of an init container start at 10 s and double, with the kubelet's messages", async () => {
  const web = cluster({ migrate: crashes });
  const messages = new Set<string>();
  web.setReady(false);
  for (let second = 0; second < 1_200; second += 0.05) {
    await web.clock.pass(50);
    const message = web.waiting('migrate');
    if (message?.startsWith('back-off') === true) messages.add(message.replace(/ pod=.*/, ''));
  }
  const expected = ['10s', '20s', '40s', '1m20s', '2m40s', '5m0s'].map(
    (each) => `back-off ${each} restarting failed container=migrate`,
  );
  assert.deepEqual([...messages], expected);
  assert.equal(web.state('proxy'), 'waiting PodInitializing');
  web.stop();
});

test('a crashing sidecar makes the pod unready, and restarts neither completed nor running containers', async () => {
  const web = cluster({ proxy: crashes });
  web.setReady(true);
  await web.clock.pass(10_000);
  assert.equal(web.condition('Ready')?.['status'], 'True');
  web.setReady(false);
  await web.clock.pass(60_000);
  assert.ok(Number(web.restarts('proxy')) >= 2);
  assert.equal(web.isReady('proxy'), false);
  assert.equal(web.state('main'), 'running');
  assert.equal(web.isReady('main'), true);
  assert.deepEqual([web.restarts('main'), web.restarts('migrate'), web.restarts('check')], [0, 0, 0]);
  assert.equal(web.status()['phase'], 'Running');
  assert.equal(web.condition('Initialized')?.['status'], 'True');
  assert.partialDeepStrictEqual(web.condition('Ready'), {
    status: 'False',
    reason: 'ContainersNotReady',
    message: 'containers with unready status: [proxy]',
  });
  web.setReady(true);
  await web.clock.pass(200_000);
  assert.equal(web.condition('Ready')?.['status'], 'True');
  web.stop();
  assert.equal(web.clock.pending, 0);
});

test('a sidecar that crashes at once does not prevent the start of the containers after it', async () => {
  const web = cluster({ proxy: { ...crashes, givesUpAfter: 50 } });
  web.setReady(false);
  await web.clock.pass(60_000);
  assert.equal(web.state('main'), 'running');
  assert.equal(web.condition('Ready')?.['status'], 'False');
  web.stop();
});

test('a crashing main container does not run the init containers again', async () => {
  const web = cluster({ main: crashes });
  web.setReady(false);
  await web.clock.pass(60_000);
  assert.ok(Number(web.restarts('main')) >= 2);
  assert.deepEqual([web.restarts('migrate'), web.restarts('check'), web.restarts('proxy')], [0, 0, 0]);
  assert.equal(web.status()['phase'], 'Running');
  assert.equal(web.isReady('main'), false);
  web.stop();
});
