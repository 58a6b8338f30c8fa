import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reflecting } from '../../testing/reflecting.ts';
import { until } from '../../testing/until.ts';

for (const protocol of ['http', 'https', 'h2'] as const) {
  test(`over ${protocol}, the complete state and every change reach the sink`, async () => {
    await using it = await reflecting(protocol);
    for (let i = 0; i < 50; i += 1) it.server.store.put(`pod-${i}`);
    it.start();
    await it.untilSame();
    it.server.store.put('pod-7');
    it.server.store.remove('pod-8');
    it.server.store.put('new');
    await it.untilSame();
    assert.equal(it.sink.lists, 1);
    assert.deepEqual(it.sink.disorder, []);
    const [first] = it.server.requests;
    assert.equal(first?.query.get('labelSelector'), 'app=a');
    assert.equal(first?.headers['authorization'], 'Bearer secret');
    assert.match(String(first?.headers['user-agent']), /^weeder\/test$/);
  });

  test(`over ${protocol}, watches end at their timeout and continue at their position, without a new list`, async () => {
    await using it = await reflecting(protocol);
    it.server.store.put('a');
    it.start();
    await it.untilSame();
    await until('three watches were opened', () => it.server.requests.length >= 4, it.clock, 50);
    it.server.store.put('b');
    await it.untilSame();
    assert.equal(it.sink.lists, 1);
    assert.deepEqual(it.sink.disorder, []);
    assert.deepEqual(
      it.logged.filter(({ level }) => level === 'warn'),
      [],
    );
  });
}
