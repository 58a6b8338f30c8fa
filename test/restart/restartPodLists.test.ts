import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type LabelSelector, matchesSelector, selectorToString } from '@weeder/kube-runtime/objects';
import { listTogether } from '../../src/restart/pods/podLists.ts';
import { type Answer, answered } from '../../src/restart/references/answer.ts';

const signal = new AbortController().signal;
const app = (name: string): LabelSelector => ({ matchLabels: { app: name } });
const pod = (name: string, labels: Record<string, string>) => ({ metadata: { name, labels } });
type Pod = ReturnType<typeof pod>;

/** Pods by namespace, listed as the API does it, and the requests for them. */
function cluster(pods: Record<string, readonly Pod[]>) {
  const requests: string[] = [];
  const signals: AbortSignal[] = [];
  const list = listTogether(async (namespace, selector, given): Promise<Answer<readonly unknown[]>> => {
    requests.push(`${namespace}: ${selectorToString(selector)}`);
    signals.push(given);
    await nextTurn();
    if (given.aborted) return { type: 'refused', reason: 'cancelled', failure: 'cancelled', retryAfter: 0 };
    return answered((pods[namespace] ?? []).filter(({ metadata }) => matchesSelector(selector, metadata.labels)));
  });
  return { list, requests, signals };
}

function namesIn(answer: Answer<readonly unknown[]>): string[] {
  assert(answer.type === 'ok');
  return answer.value.map((each) => JSON.stringify(each).replace(/^.*"name":"([^"]*)".*$/, '$1'));
}

test('simultaneous lists are one request, and each caller gets only its own pods', async () => {
  const pods = [pod('a-1', { app: 'a' }), pod('b-1', { app: 'b' }), pod('a-2', { app: 'a' }), pod('c-1', { app: 'c' })];
  const { list, requests } = cluster({ shop: pods });
  const answers = await Promise.all(['a', 'b', 'none'].map((name) => list('shop', app(name), signal)));
  assert.deepEqual(answers.map(namesIn), [['a-1', 'a-2'], ['b-1'], []]);
  assert.deepEqual(requests, ['shop: app in (a,b,none)']);
});

test('a single list uses its own selector', async () => {
  const { list, requests } = cluster({ shop: [pod('a-1', { app: 'a', tier: 'x' })] });
  const selector = { matchLabels: { app: 'a', tier: 'x' } };
  assert.deepEqual(namesIn(await list('shop', selector, signal)), ['a-1']);
  assert.deepEqual(requests, ['shop: app=a,tier=x']);
});

test('the other requirements of a selector apply too', async () => {
  const pods = [pod('a-1', { app: 'a', track: 'stable' }), pod('a-2', { app: 'a', track: 'canary' })];
  const { list, requests } = cluster({ shop: [...pods, pod('b-1', { app: 'b' })] });
  const stable = { ...app('a'), matchExpressions: [{ key: 'track', operator: 'NotIn', values: ['canary'] } as const] };
  const answers = await Promise.all([list('shop', stable, signal), list('shop', app('b'), signal)]);
  assert.deepEqual(answers.map(namesIn), [['a-1'], ['b-1']]);
  assert.equal(requests.length, 1);
});

test('the request selects by the label that differs, whatever labels are equal', async () => {
  const { list, requests } = cluster({ shop: [] });
  const of = (instance: string) => ({ matchLabels: { 'app.kubernetes.io/name': 'web', instance, team: 'blue' } });
  await Promise.all(['one', 'two'].map((name) => list('shop', of(name), signal)));
  assert.deepEqual(requests, ['shop: instance in (one,two)']);
});

test('other namespaces and other labels are separate requests, and so is a selector without values', async () => {
  const { list, requests } = cluster({
    shop: [pod('a-1', { app: 'a' }), pod('j-1', { job: 'j' })],
    bank: [pod('a-2', { app: 'a' })],
  });
  const exists = { matchExpressions: [{ key: 'job', operator: 'Exists' } as const] };
  const answers = await Promise.all([
    list('shop', app('a'), signal),
    list('bank', app('a'), signal),
    list('shop', { matchLabels: { job: 'j' } }, signal),
    list('shop', exists, signal),
    list('shop', app('b'), signal),
  ]);
  assert.deepEqual(answers.map(namesIn), [['a-1'], ['a-2'], ['j-1'], ['j-1'], []]);
  assert.deepEqual(requests.toSorted(), ['bank: app=a', 'shop: app in (a,b)', 'shop: job', 'shop: job=j']);
});

test('200 lists are requests of 32 each', async () => {
  const { list, requests } = cluster({ shop: [pod('p', { app: 'w-199' })] });
  const names = Array.from({ length: 200 }, (_, index) => `w-${index}`);
  const answers = await Promise.all(names.map((name) => list('shop', app(name), signal)));
  assert.deepEqual(
    answers.map((answer) => namesIn(answer).length).reduce((sum, each) => sum + each),
    1,
  );
  assert.equal(requests.length, 7);
});

test('a later caller gets a later list, even while the earlier one is in progress', async () => {
  const pods = [pod('old', { app: 'a' })];
  const { list, requests } = cluster({ shop: pods });
  const first = list('shop', app('a'), signal);
  await nextTurn();
  pods.splice(0, 1, pod('new', { app: 'a' }));
  const second = list('shop', app('a'), signal);
  await first;
  assert.deepEqual(namesIn(await second), ['new']);
  assert.equal(requests.length, 2);
});

test('a refused request is refused to all callers', async () => {
  const refusal = { type: 'refused', reason: 'not allowed', failure: 'forbidden', retryAfter: 0 } as const;
  const list = listTogether(async () => refusal);
  const answers = await Promise.all(['a', 'b'].map((name) => list('shop', app(name), signal)));
  assert.deepEqual(answers, [refusal, refusal]);
});

test('an aborted caller does not end the request of the others; it ends when all callers have aborted', async () => {
  const { list, signals } = cluster({ shop: [pod('b-1', { app: 'b' })] });
  const [one, other] = [new AbortController(), new AbortController()];
  const both = [list('shop', app('a'), one.signal), list('shop', app('b'), other.signal)];
  one.abort();
  assert.deepEqual(namesIn((await Promise.all(both))[1] ?? assert.fail()), ['b-1']);
  assert.equal(signals[0]?.aborted, false);

  const again = [list('shop', app('a'), one.signal), list('shop', app('b'), other.signal)];
  other.abort();
  const answers = await Promise.all(again);
  assert.deepEqual(
    answers.map((answer) => answer.type),
    ['refused', 'refused'],
  );
});
