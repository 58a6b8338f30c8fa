import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSelector } from '@weeder/kube-runtime/objects';
import { testSink, virtualClock } from '@weeder/kube-runtime/testing';
import { type ObjectSink, readLineMetadata, type StreamNeed } from '@weeder/kube-runtime/watch';
import { ownsNamespace } from '../../src/controller/shard.ts';
import { slice } from '../support/objects/objects.ts';
import { namespaceOwner } from '../support/world/controllerContext.ts';

function needOf(sink: ObjectSink, name = 'slices'): StreamNeed {
  return { name, path: '/apis/discovery.k8s.io/v1/endpointslices', kind: 'EndpointSlice', labelSelector: '', sink };
}

function selectorOf(text: string) {
  const selector = parseSelector(text);
  assert.ok(selector.ok);
  return selector.value;
}

test('a shard gets only its own namespaces, whether an event is parsed or not', () => {
  const shard = { index: 0, count: 2 };
  const namespaces = Array.from({ length: 20 }, (_, n) => `ns-${n}`);
  const own = namespaces.filter((namespace) => ownsNamespace(shard, namespace));
  assert.ok(own.length > 0 && own.length < namespaces.length);
  const inner = testSink();
  const { sink } = namespaceOwner({ shard }).onlyOwned(needOf(inner));
  const unparsed = new Set<string>();
  sink.begin();
  for (const namespace of namespaces) {
    const object = slice({ namespace, name: namespace });
    const line = Buffer.from(JSON.stringify({ type: 'ADDED', object }));
    const metadata = readLineMetadata(line);
    assert.ok(metadata !== undefined);
    if (sink.isIrrelevant?.(line, metadata) === true) unparsed.add(namespace);
    sink.apply('ADDED', object);
  }
  sink.end();
  assert.deepEqual([...inner.state.keys()], own);
  assert.deepEqual(
    [...unparsed],
    namespaces.filter((namespace) => !own.includes(namespace)),
  );
});

test('a shard passes on that the stream was lost, resumed or rewound, if its sink wants to know', () => {
  const seen: string[] = [];
  const inner = testSink();
  const tell = (what: string) => () => void seen.push(what);
  const asking = { lost: tell('lost'), resumed: tell('resumed'), rewound: tell('rewound') };
  const owner = namespaceOwner({ shard: { index: 0, count: 2 } });
  const { sink } = owner.onlyOwned(needOf({ ...inner, ...asking }));
  sink.lost?.();
  sink.resumed?.();
  sink.rewound?.();
  assert.deepEqual(seen, ['lost', 'resumed', 'rewound']);
  const { begin, apply, end } = inner;
  const { sink: silent } = owner.onlyOwned(needOf({ begin, apply, end }));
  assert.deepEqual([silent.lost, silent.resumed, silent.rewound], [undefined, undefined, undefined]);
});

test('an event that is irrelevant to the inner sink is irrelevant to the shard', () => {
  const inner = testSink((name) => name === 'dull');
  const { sink } = namespaceOwner({ shard: { index: 0, count: 1 } }).onlyOwned(needOf(inner));
  const isStored = (name: string) => {
    const line = Buffer.from(JSON.stringify({ type: 'ADDED', object: slice({ name }) }));
    const metadata = readLineMetadata(line);
    return metadata !== undefined && sink.isIrrelevant?.(line, metadata);
  };
  assert.deepEqual([isStored('dull'), isStored('other')], [true, false]);
});

/** What a replica knows that watches only namespaces with `team=shop`, except `shop-test`. */
function follow() {
  const clock = virtualClock();
  const listed: string[][] = [];
  const owner = namespaceOwner({
    clock,
    selection: { selector: selectorOf('team=shop'), except: ['shop-test'] },
    onChanged: (streams) => void listed.push([...streams].sort()),
  });
  const need = owner.needs.get('namespaces');
  assert.ok(need !== undefined);
  const { sink } = need;
  const put = (name: string, team?: string) =>
    sink.apply('MODIFIED', { metadata: { name, labels: team === undefined ? {} : { team } } });
  sink.begin();
  put('shop', 'shop');
  put('shop-test', 'shop');
  put('bank', 'bank');
  return { clock, owner, listed, sink, put };
}

test('nothing is selected before the labels of all namespaces are known', () => {
  const { owner, sink } = follow();
  assert.equal(owner.isKnown, false);
  sink.end();
  assert.equal(owner.isKnown, true);
  assert.deepEqual(
    ['shop', 'shop-test', 'bank', 'unknown'].filter((name) => owner.owns(name)),
    ['shop'],
  );
});

test('a namespace that is excepted by name needs no labels', () => {
  const owner = namespaceOwner({ selection: { selector: undefined, except: ['kube-system'] } });
  assert.deepEqual([owner.isKnown, owner.needs.size], [true, 0]);
  assert.deepEqual([owner.owns('kube-system'), owner.owns('shop')], [false, true]);
});

test('streams with objects of a namespace are listed again when its labels change, once for many namespaces', async () => {
  const { clock, owner, listed, sink, put } = follow();
  sink.end();
  const slices = owner.onlyOwned(needOf(testSink(), 'slices')).sink;
  const pods = owner.onlySelected(needOf(testSink(), 'pods')).sink;
  slices.apply('ADDED', slice({ namespace: 'bank', name: 'db' }));
  pods.apply('ADDED', slice({ namespace: 'shop', name: 'web' }));
  put('bank', 'shop');
  put('garden', 'shop');
  await clock.pass(1000);
  assert.deepEqual(listed, [['slices']]);
  put('shop');
  put('bank');
  await clock.pass(1000);
  assert.deepEqual(listed, [['slices'], ['pods', 'slices']]);
});

test('a namespace without objects, or without a change of its selection, lists nothing again', async () => {
  const { clock, listed, sink, put } = follow();
  sink.end();
  put('empty', 'shop');
  put('shop', 'shop');
  await clock.pass(1000);
  assert.deepEqual(listed, [[]]);
});

test('the objects of a deleted namespace leave by their own deletions, and nothing is listed again', async () => {
  const { clock, owner, listed, sink } = follow();
  sink.end();
  const inner = testSink();
  const slices = owner.onlyOwned(needOf(inner)).sink;
  slices.begin();
  slices.apply('ADDED', slice({ namespace: 'shop', name: 'db' }));
  slices.end();
  sink.apply('DELETED', { metadata: { name: 'shop', labels: { team: 'shop' } } });
  slices.apply('DELETED', slice({ namespace: 'shop', name: 'db' }));
  await clock.pass(1000);
  assert.deepEqual([...inner.state.keys()], []);
  assert.deepEqual(listed, []);
});

test('a namespace that was deleted while the stream was down is not selected any more', () => {
  const { owner, sink, put } = follow();
  sink.end();
  sink.begin();
  put('bank', 'bank');
  sink.end();
  assert.equal(owner.owns('shop'), false);
});

test('pods in namespaces of other shards count, those in namespaces that are not selected do not', () => {
  const shard = { index: 0, count: 2 };
  const owner = namespaceOwner({ shard, selection: { selector: undefined, except: ['ns-0', 'ns-1'] } });
  const names = Array.from({ length: 20 }, (_, index) => `ns-${index}`);
  const seenBy = (filter: (need: StreamNeed) => StreamNeed) => {
    const inner = testSink();
    const { sink } = filter(needOf(inner));
    for (const namespace of names) sink.apply('ADDED', slice({ namespace, name: namespace }));
    return [...inner.state.keys()];
  };
  assert.deepEqual(seenBy(owner.onlySelected), names.slice(2));
  assert.deepEqual(
    seenBy(owner.onlyOwned),
    names.slice(2).filter((name) => ownsNamespace(shard, name)),
  );
});
