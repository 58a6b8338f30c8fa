import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ObjectType, ObjectView, OverviewGroup } from '@weeder/live-page';
import { overviewOf } from '../support/page/overviewOf.ts';
import { outageScene } from '../support/scene/outageScene.ts';

/** Its time does not pass: the tests only read it. */
const scene = await outageScene();
after(() => scene[Symbol.asyncDispose]());
const { url } = scene.served;

async function objectOf(type: ObjectType, id: string): Promise<ObjectView> {
  const response = await fetch(new URL(`/object?${new URLSearchParams({ type, id })}`, url));
  return JSON.parse(await response.text());
}

const factsOf = (view: ObjectView) => view.facts.map(([name, text]) => `${name}: ${text}`).join('\n');
const linesOf = (view: ObjectView, title: string) => view.sections.find((each) => each.title === title)?.lines ?? [];
const wordsOf = (view: ObjectView, title: string) =>
  linesOf(view, title).map(({ object, words }) => `${object}: ${words}`);

test('every line of the overview leads to the page of its object, which says the same and has its settings', async () => {
  const { problems, waits } = await overviewOf(url);
  const groups: readonly OverviewGroup[] = [...problems, ...waits];
  const lines = groups.flatMap((group) => group.lines);
  assert.ok(lines.length > 50);
  for (const { object, page, words } of lines) {
    if (page === undefined) assert.fail(`${object} has no page`);
    const view = await objectOf(page.type, page.id);
    // An open window with a failed deletion is listed twice, and a resource has the page of its Application.
    const isWhole = object === view.object && !words.startsWith('Window open');
    if (isWhole) assert.equal(view.words, words);
    assert.doesNotMatch(view.words, /^Not known/);
    assert.deepEqual([view.type, view.id], [page.type, page.id]);
    if (page.id !== 'nmae-1')
      assert.match(factsOf(view), /^Settings: .*(?:\(from |, as system:serviceaccount:)/, object);
  }
});

test('the page of a service has its dependants, the pods that crash-loop, its window, and its events', async () => {
  const view = await objectOf('service', 'team-01/name-3');
  assert.match(view.words, /^Window open, deletion refused/);
  assert.equal(view.health, 'degraded');
  assert.equal(view.next?.words, 'closes');
  assert.match(
    factsOf(view),
    /Settings: window .*, whileNotReady hold, deletion delete \(from the entry name-3 in services/,
  );
  assert.match(factsOf(view), /Window: number 1, open since .*Z: 1 deleted, 2 skipped, 0 failed/);
  const [dependant] = linesOf(view, 'Dependants');
  assert.match(dependant?.words ?? '', /^configured, by podSelectors\[0\], \d+ crash-looping$/);
  const pods = linesOf(view, 'Pods that crash-loop');
  const refused = pods.find(({ object }) => object === 'Pod team-01/refused');
  assert.deepEqual(refused?.page, { type: 'pod', id: 'team-01/refused' });
  assert.ok(view.moments.some(({ what }) => what === 'service.ready'));
  assert.ok(
    view.moments.every(({ page }) => page?.id === 'team-01/name-3'),
    'no events of other services',
  );
});

test('each pod of the window has its reason', async () => {
  const sentences = new Map<string, string>();
  for (const name of ['bare', 'ignored', 'refused', 'waiting']) {
    const { words } = await objectOf('pod', `team-01/${name}`);
    sentences.set(name, words);
  }
  assert.match(sentences.get('bare') ?? '', /^Skipped: it has no controller/);
  assert.match(sentences.get('ignored') ?? '', /^Skipped: it is annotated weeder.dev\/ignore/);
  assert.match(sentences.get('refused') ?? '', /^Refused, and tried again: pods .*forbidden/);
  assert.match(sentences.get('waiting') ?? '', /^Waits for service name-13: another service/);
});

test('the page of a workload has the rule that applies, its sources, restarts and events', async () => {
  const blocked = await objectOf('workload', 'Deployment shop/blocked');
  assert.equal(blocked.words, 'Blocked: ConfigMap shop/blocked is missing');
  assert.equal(blocked.health, 'degraded');
  assert.match(factsOf(blocked), /^Settings: rollout after .* \(from rules\[\d\]: /);
  assert.deepEqual(wordsOf(blocked, 'ConfigMaps and Secrets'), ['ConfigMap blocked#a: ']);
  const breaker = await objectOf('workload', 'Deployment shop/breaker');
  assert.match(factsOf(breaker), /Restarts: (\S+Z, ){4}\S+Z$/m);
  assert.ok(breaker.moments.some(({ what }) => what === 'workload.restarted'));
});

test('the page of an Application has its settings, its errors, and its resources with what differs', async () => {
  const detect = await objectOf('application', 'shop/detect');
  assert.match(
    factsOf(detect),
    /^Settings: mode detect, deletionPolicy \w+, resync every .*, as system:serviceaccount:\w+:\w+$/,
  );
  assert.match(wordsOf(detect, 'Resources').join(), /^ConfigMap shop\/detect: Drifted.* is "\w+" instead of "\w+"$/);
  assert.equal(linesOf(detect, 'Resources')[0]?.health, 'degraded');
  assert.ok(detect.moments.every(({ about }) => about === 'Application shop/detect'));
  const invalid = await objectOf('application', 'shop/invalid');
  assert.match(factsOf(invalid), /^Error: .*duplicate/m);
});

test('each object has the machine of its actor with the active states, and one that is not ready since the start has none', async () => {
  const { actor } = await objectOf('service', 'team-01/name-3');
  assert.deepEqual([actor?.id, actor?.machine, actor?.states[0]], ['team-01/name-3', 'endpoint', 'ready']);
  const blocked = (await objectOf('workload', 'Deployment shop/blocked')).actor;
  assert.deepEqual([blocked?.machine, blocked?.states], ['workload', ['assessed', 'assessed.blocked']]);
  assert.equal((await objectOf('application', 'shop/detect')).actor?.machine, 'application');
  assert.equal((await objectOf('pod', 'team-01/waiting')).actor?.machine, 'podDeletion');
  const { words, actor: none } = await objectOf('service', 'team-20/name-15');
  assert.match(words, /^Down, not ready since weeder started/);
  assert.equal(none, undefined);
});

test('an object that weeder does not know is answered, and an unknown type is refused', async () => {
  for (const [type, id, object] of [
    ['service', 'team-01/none', 'Service team-01/none'],
    ['workload', 'Deployment shop/none', 'Deployment shop/none'],
    ['application', 'shop/none', 'Application shop/none'],
  ] as const) {
    const view = await objectOf(type, id);
    assert.match(view.words, /^Not known: it does not exist, no controller of this weeder is responsible/);
    assert.deepEqual([view.object, view.sections, view.moments], [object, [], []]);
  }
  assert.equal((await fetch(new URL('/object?type=secret&id=shop/a', url))).status, 400);
});
