import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectView } from '@weeder/live-page';
import type { DeletionAnswer } from '../../src/weeder/deletions/deletePod.ts';
import { backOff, type PodOptions, running, terminated } from '../support/objects/objects.ts';
import { type Shown, shown, startTime } from '../support/page/servedPage.ts';
import { minute, type SimulationOptions, settled } from '../support/world/simulation.ts';

const kapi = { containers: [backOff(4)] };
/** How long the service is down; then the window is open for two minutes. */
const outage = 10_000;

/** A service that is ready, and depends on nothing; `recovers` takes it down and up again. */
async function scene(options: SimulationOptions = {}, ...pods: readonly PodOptions[]) {
  const page = await shown({ service: { onStart: 'never' }, ...options }, (before) => {
    for (const { name = 'etcd-main-client' } of options.services ?? [{}])
      before.slice({ service: name, ready: [true] });
    for (const each of pods) before.put(each);
  });
  const { at } = page;
  return Object.assign(page, {
    async down() {
      await at.clock.pass(outage);
      at.slice({ ready: [false] });
    },
    async recovers() {
      at.slice({ ready: [false] });
      await at.clock.pass(outage);
      at.slice({ ready: [true] });
      await at.clock.pass(1);
    },
  });
}

async function viewOf({ served }: Shown, name = 'kapi-0'): Promise<ObjectView> {
  const query = new URLSearchParams({ type: 'pod', id: `shoot-1/${name}` });
  return JSON.parse(await (await fetch(`${served.url}object?${query}`)).text());
}

/** The services on which the pod depends. */
const servicesOf = ({ sections }: ObjectView) => sections[0] ?? assert.fail('there is no section');
const stateOfServices = (view: ObjectView) => servicesOf(view).lines.map(({ object, words }) => `${object}: ${words}`);

const sentenceOf = async (page: Shown, name?: string) => (await viewOf(page, name)).words;

test('of a pod that is not known weeder says that no such dependant crash-loops', async () => {
  await using page = await scene({}, { name: 'fine', containers: [running()] }, { name: 'other', labels: {}, ...kapi });
  const unknown = 'Not deleted: no dependant of a service that crash-loops now has this name.';
  for (const name of ['fine', 'other', 'nosuch']) assert.equal(await sentenceOf(page, name), unknown);
  assert.deepEqual(stateOfServices(await viewOf(page, 'fine')), []);
});

test('without a window the answer is since when the service is ready, is down, or does not exist', async () => {
  await using page = await scene({}, kapi);
  const none = 'Not deleted: no window is open, and service etcd-main-client';
  assert.equal(await sentenceOf(page), `${none} has been ready since 2026-01-01T12:00:00Z.`);
  await page.down();
  const view = await viewOf(page);
  assert.equal(view.words, `${none} has been down since 2026-01-01T12:00:10Z.`);
  assert.deepEqual(stateOfServices(view), ['Service shoot-1/etcd-main-client: Down since 2026-01-01T12:00:10.000Z']);
  assert.deepEqual([servicesOf(view).total, servicesOf(view).lines[0]?.health, view.actor], [1, 'degraded', undefined]);
  page.at.slice({}, 'DELETED');
  assert.equal(await sentenceOf(page), `${none} has had no EndpointSlice since 2026-01-01T12:00:10Z.`);
});

test('while the service is down again, its window is held', async () => {
  await using page = await scene();
  await page.recovers();
  page.at.slice({ ready: [false] });
  page.at.put(kapi);
  await settled();
  const held = 'the window of service etcd-main-client is held, because the service';
  assert.equal(await sentenceOf(page), `Not deleted: ${held} has been down since 2026-01-01T12:00:10Z.`);
  assert.match(stateOfServices(await viewOf(page)).join(), /: Down since .*, window held$/);
});

test('a pod that no window deletes is skipped, whether one is open or not', async () => {
  const ignored = { 'weeder.dev/ignore': 'true' };
  const mirror = { 'kubernetes.io/config.mirror': '2f1c' };
  const pods = [
    { name: 'bare', isBare: true, ...kapi },
    { name: 'ignored', annotations: ignored, ...kapi },
    { name: 'mirror', annotations: mirror, ...kapi },
  ];
  await using page = await scene({}, ...pods);
  const sentences = () => Promise.all(pods.map(({ name }) => sentenceOf(page, name)));
  const skipped = [
    'Skipped: it has no controller that would recreate it (barePods: keep).',
    'Skipped: it is annotated weeder.dev/ignore: "true".',
    'Skipped: it is the mirror of a static pod.',
  ];
  assert.deepEqual(await sentences(), skipped);
  await page.recovers();
  assert.deepEqual(await sentences(), skipped);
  await using deleting = await scene({ service: { onStart: 'never', barePods: 'delete' } }, ...pods);
  assert.match(await sentenceOf(deleting, 'bare'), /^Not deleted: no window is open/);
});

test('a container that has never started is left alone', async () => {
  const pulls = { state: { waiting: { reason: 'ImagePullBackOff' } } };
  await using page = await scene({}, { containers: [pulls] });
  const why = 'because the image cannot be pulled, and the kubelet tries again';
  const sentence = `Not deleted: container main-0 has never started (ImagePullBackOff), ${why}.`;
  assert.equal(await sentenceOf(page), sentence);
  assert.equal(servicesOf(await viewOf(page)).total, 1);
});

test('in a window a pod waits for the evidence of its back-off', async () => {
  await using page = await scene();
  await page.recovers();
  page.at.put({ containers: [terminated(page.at.clock.now() - 500)] });
  await settled();
  const why = 'container main-0 has just ended, and may be restarted at once';
  const { words, actor } = await viewOf(page);
  assert.equal(words, `Waits until 2026-01-01T12:00:11Z: ${why}.`);
  assert.equal(actor?.id, 'shoot-1/kapi-0/uid-of-shoot-1-kapi-0');
});

test('a pod that replaces a deleted one waits for the end of the cool-down', async () => {
  await using page = await scene({}, kapi);
  await page.recovers();
  page.at.put({ name: 'kapi-1', created: page.at.clock.now(), ...kapi });
  await settled();
  const sentence = 'Waits until 2026-01-01T12:00:20Z: the pod replaces one that was deleted recently.';
  assert.equal(await sentenceOf(page, 'kapi-1'), sentence);
});

test('a pod waits while the kubelet restarts it sooner than a replacement could run', async () => {
  await using page = await scene();
  await page.recovers();
  const ended = terminated(page.at.clock.now() - 37_000, 3);
  page.at.put({ containers: [ended] });
  await settled();
  const why = 'the kubelet restarts the container sooner than a replacement of the pod could run';
  assert.equal(await sentenceOf(page), `Waits until 2026-01-01T12:00:28Z: ${why}.`);
});

test('a pod waits for another service on which it depends', async () => {
  const services = [{ onStart: 'never' as const }, { name: 'cache', onStart: 'never' as const }];
  await using page = await scene({ services }, kapi);
  page.at.slice({ service: 'cache', ready: [false] });
  await page.recovers();
  const why = 'another service on which the pod depends is down';
  assert.equal(await sentenceOf(page), `Waits for service cache: ${why}.`);
  assert.equal(servicesOf(await viewOf(page)).total, 2);
});

/** The answer of the API server that comes never. */
const never = () => new Promise<DeletionAnswer>(() => {});

test('a pod is queued while other deletions have the slots, and being deleted in its own', async () => {
  await using page = await scene({ concurrentDeletions: 1, answer: never }, kapi, { name: 'kapi-1', ...kapi });
  await page.recovers();
  const sentences = [await sentenceOf(page), await sentenceOf(page, 'kapi-1')];
  const queued = 'Queued for a slot: in flight 1, waiting 1.';
  assert.deepEqual(sentences.sort(), ['Being deleted: the request was sent.', queued]);
});

test('the log of the container is read before the deletion', async () => {
  await using page = await scene({ readLog: () => new Promise(() => {}) }, kapi);
  await page.recovers();
  const sentence = 'About to be deleted: the log of container main-0 is read first.';
  assert.equal(await sentenceOf(page), sentence);
});

test('after a conflict the deletion is decided again', async () => {
  await using page = await scene({ answer: () => ({ type: 'delete.conflicted' }) }, kapi);
  await page.recovers();
  assert.match(await sentenceOf(page), /^Not deleted yet: the API server has a newer state/);
});

const forbidden = '403 Forbidden: pods is forbidden; grant weeder the verb delete on pods in the namespace shoot-1';

test('a refusal is answered with its reason, while it is tried again, and when the window is over', async () => {
  const answer = (): DeletionAnswer => ({ type: 'delete.failed', reason: forbidden, failure: 'forbidden' });
  await using page = await scene({ answer }, kapi);
  await page.recovers();
  assert.equal(await sentenceOf(page), `Refused, and tried again: ${forbidden}.`);
  await page.at.clock.pass(3 * minute);
  const failed = 'Not deleted after service etcd-main-client recovered: the window closed first';
  assert.equal(await sentenceOf(page), `${failed}, and an earlier attempt was refused: ${forbidden}.`);
});

test('a rejected deletion is answered with its reason', async () => {
  await using page = await scene({ answer: () => ({ type: 'delete.rejected', reason: forbidden }) }, kapi);
  await page.recovers();
  const sentence = `Not deleted after service etcd-main-client recovered: ${forbidden}.`;
  assert.equal(await sentenceOf(page), sentence);
});

test('a deletion that was not due when the window closed is answered with what it waited for', async () => {
  await using page = await scene({ service: { onStart: 'never', watchDuration: 5_000 } }, kapi);
  await page.recovers();
  page.at.put({ name: 'kapi-1', created: page.at.clock.now(), ...kapi });
  await page.at.clock.pass(6_000);
  const why = 'the window closed first, and the pod replaces one that was deleted recently';
  const sentence = `Not deleted after service etcd-main-client recovered: ${why}.`;
  assert.equal(await sentenceOf(page, 'kapi-1'), sentence);
});

test('a deleted pod is answered with the time and how its last run ended, also when the window is over', async () => {
  await using page = await scene();
  page.at.put({ containers: [terminated(startTime, 5)] });
  await page.recovers();
  const how = 'container main-0 was in unreported back-off after 5 restarts, with 2m30s of its back-off left';
  const sentence = `Deleted at 2026-01-01T12:00:10Z, because service etcd-main-client recovered: ${how}; it last ended with exit code 1 (Error).`;
  assert.deepEqual(page.at.deletedNames(), ['kapi-0']);
  assert.equal(await sentenceOf(page), sentence);
  await page.at.clock.pass(3 * minute);
  const view = await viewOf(page);
  assert.equal(await sentenceOf(page), sentence);
  assert.deepEqual(stateOfServices(view), []);
  assert.deepEqual(
    view.moments.map(({ t, words, pod }) => [t, words, pod]),
    [[startTime + outage, 'pod deleted', 'shoot-1/kapi-0']],
  );
});

test('a pod of the same name that crash-loops later is answered by its own state', async () => {
  await using page = await scene({}, kapi);
  await page.recovers();
  await page.at.clock.pass(3 * minute);
  page.at.put({ uid: 'next', ...kapi });
  assert.match(await sentenceOf(page), /^Not deleted: no window is open/);
});

test('a weeder that does not run, or runs no longer, knows nothing but what it has done', async () => {
  await using page = await scene({}, kapi, { name: 'bare', isBare: true, ...kapi });
  await page.recovers();
  page.at.weeder.stop();
  const unknown = 'Not known: the weeder does not run in this process, or has not read the cluster yet.';
  assert.equal(await sentenceOf(page, 'bare'), unknown);
  assert.match(await sentenceOf(page), /^Deleted at/);
  page.live.watch({ actors: () => [], since: () => undefined, shown: () => undefined });
  assert.equal(await sentenceOf(page, 'bare'), unknown);
});

test('in a dry run the pod that stays would have been deleted', async () => {
  await using page = await scene({ isDryRun: true }, kapi);
  await page.recovers();
  const deleted = /^Would be deleted \(dry run\) at 2026-01-01T12:00:10Z, because service etcd-main-client recovered: /;
  assert.match(await sentenceOf(page), deleted);
});

test('a pod that recovers, or that another client deletes, is not deleted by weeder', async () => {
  await using page = await scene({ answer: never }, kapi, { name: 'kapi-1', ...kapi });
  await page.recovers();
  page.at.put({ name: 'kapi-2', containers: [terminated(page.at.clock.now())] });
  page.at.put({ name: 'kapi-3', containers: [terminated(page.at.clock.now())] });
  await settled();
  page.at.put({ name: 'kapi-2', containers: [running(4)] });
  page.at.remove('kapi-3');
  assert.equal(
    await sentenceOf(page, 'kapi-2'),
    'Not deleted: at 2026-01-01T12:00:10Z it did not crash-loop any more.',
  );
  const gone = 'at 2026-01-01T12:00:10Z another client had deleted it, or no service selected it any more';
  assert.equal(await sentenceOf(page, 'kapi-3'), `Not deleted by weeder: ${gone}.`);
});
