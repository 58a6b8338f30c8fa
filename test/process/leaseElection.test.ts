import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leases } from '@weeder/embedded-cluster/resources';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { type Delivery, type LeaseRequest, leaseApi, where } from '../support/api/leaseApi.ts';
import { type Replica, type ReplicaOptions, startReplica } from '../support/world/replica.ts';

/** An API server and replicas that take part in leader election. */
function electing() {
  const clock = virtualClock();
  const api = leaseApi(clock);
  const start = (identity: string, options?: ReplicaOptions) => startReplica(api, clock, identity, options);
  return {
    clock,
    api,
    start,
    /** A leader and a standby. */
    async two(first: ReplicaOptions = {}, second: ReplicaOptions = {}) {
      const a = start('a', first);
      await clock.pass(100);
      const b = start('b', second);
      await clock.pass(100);
      assert.deepEqual(statesOf(a, b), ['leading', 'standingBy']);
      return { a, b };
    },
    /** Milliseconds until the condition holds. */
    async timeUntil(condition: () => boolean, longest = 60_000) {
      const began = clock.monotonic();
      while (!condition() && clock.monotonic() - began < longest) await clock.pass(50);
      return clock.monotonic() - began;
    },
    /** Applies this fault to the matching requests. */
    injectFault(isMatching: (request: LeaseRequest) => boolean, fault: Delivery) {
      api.setDelivery((request) => (isMatching(request) ? fault : undefined));
    },
  };
}

const statesOf = (...replicas: readonly Replica[]) => replicas.map((each) => each.state()?.state);
const acting = (...replicas: readonly Replica[]) =>
  replicas.filter((each) => each.mayAct()).map((each) => each.identity);
const typesOf = (replica: Replica) => replica.events.map(({ type }) => type);
const between = (value: number, from: number, to: number) => assert.ok(value >= from && value <= to, `${value} ms`);

test('the first replica creates the Lease, as client-go writes it, and leads; the second stands by and names the holder', async () => {
  const it = electing();
  const { a, b } = await it.two();
  assert.deepEqual(it.api.spec(), {
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T00:00:00.002000Z',
    renewTime: '2026-01-01T00:00:00.002000Z',
    leaseTransitions: 0,
  });
  await it.clock.pass(60_000);
  assert.deepEqual(acting(a, b), ['a']);
  const lease = `${where.namespace}/${where.name}`;
  assert.deepEqual(a.events, [{ type: 'leadership.acquired', lease, identity: 'a' }]);
  assert.deepEqual(b.events, [{ type: 'leadership.standsBy', lease, holder: 'a' }]);
  assert.deepEqual(b.state(), {
    state: 'standingBy',
    identity: 'b',
    holder: 'a',
    heldSince: Date.parse('2026-01-01T00:00:00.002Z'),
    lease,
  });
  assert.equal(a.state()?.heldSince, undefined);
});

test('a leader renews every retry period, and does not change acquireTime; a standby reads seldom', async () => {
  const it = electing();
  await it.two();
  const { acquireTime } = it.api.spec();
  const before = it.api.requests.length;
  await it.clock.pass(60_000);
  const since = it.api.requests.slice(before);
  between(since.filter(({ method }) => method === 'PUT').length, 28, 30);
  assert.ok(since.filter(({ by }) => by === 'b').length <= 10);
  assert.equal(it.api.spec()['acquireTime'], acquireTime);
  assert.ok(String(it.api.spec()['renewTime']) > String(acquireTime));
});

test('of replicas that start at the same moment one leads, and the others stand by', async () => {
  const it = electing();
  const replicas = ['a', 'b', 'c'].map((identity) => it.start(identity));
  await it.clock.pass(10_000);
  assert.equal(acting(...replicas).length, 1);
  assert.deepEqual(statesOf(...replicas).sort(), ['leading', 'standingBy', 'standingBy']);
});

test('the standby acquires a released Lease immediately, and increments leaseTransitions', async () => {
  const it = electing();
  const { a, b } = await it.two();
  a.shutdown();
  assert.deepEqual(acting(a, b), [], 'it does not act while it releases the Lease');
  between(await it.timeUntil(() => b.mayAct()), 0, 100);
  assert.deepEqual([it.api.spec()['holderIdentity'], it.api.spec()['leaseTransitions']], ['b', 1]);
  assert.deepEqual(typesOf(a), ['leadership.acquired', 'leadership.released']);
  assert.deepEqual(a.warnings, []);
});

for (const [what, end, cause] of [
  ['gets no response in time', 'lost', /^https:\/\/api\.test did not answer in time: nothing came\./],
  ['is refused', 503, /^https:\/\/api\.test refused \(503\): no\.$/],
] as const) {
  test(`a release that ${what} is logged with its reason, and the standby waits for the lease duration`, async () => {
    const it = electing();
    const { a, b } = await it.two();
    it.injectFault(({ by }) => by === 'a', { there: 1, back: 1, end });
    a.shutdown();
    between(await it.timeUntil(() => b.mayAct()), 13_000, 15_200);
    assert.deepEqual(typesOf(a), ['leadership.acquired']);
    const [{ cause: logged = '', ...line } = {}, ...more] = a.warnings;
    assert.match(logged, cause);
    assert.deepEqual(line, {
      level: 40,
      lease: `${where.namespace}/${where.name}`,
      leaseDuration: '15s',
      msg: 'lease not released: another replica takes over only after the lease duration',
    });
    assert.deepEqual(more, []);
  });
}

test('a failed release is logged even if its cause was logged before', async () => {
  const it = electing();
  const { a } = await it.two();
  it.injectFault(({ by }) => by === 'a', { there: 1, back: 1, end: 503 });
  await it.clock.pass(4_000);
  a.shutdown();
  await it.clock.pass(1_000);
  assert.deepEqual(
    a.warnings.map(({ msg }) => msg.split(':')[0]),
    ['lease unavailable, retrying', 'lease not released'],
  );
});

test('a released Lease has no holder and a duration of one second', async () => {
  const it = electing();
  const a = it.start('a');
  await it.clock.pass(100);
  a.shutdown();
  await it.clock.pass(100);
  assert.deepEqual([it.api.spec()['holderIdentity'], it.api.spec()['leaseDurationSeconds']], ['', 1]);
});

test('without the permission to watch the Lease it is polled, and a release is found within two retry periods', async () => {
  const it = electing();
  it.injectFault(({ isWatch }) => isWatch, { there: 0, back: 0, end: 403 });
  const { a, b } = await it.two();
  await it.clock.pass(20_000);
  a.shutdown();
  between(await it.timeUntil(() => b.mayAct()), 0, 4_500);
  assert.equal(b.warnings.length, 1, 'one warning is logged');
});

test('a replica that dies is replaced once its Lease has not changed for the lease duration, and not before', async () => {
  const it = electing();
  const { a, b } = await it.two();
  await it.clock.pass(1_000);
  a.kill();
  between(await it.timeUntil(() => b.mayAct()), 13_000, 15_200);
  assert.equal(it.api.spec()['leaseTransitions'], 1);
});

for (const skew of [3_600_000, -3_600_000]) {
  test(`a wall clock that is off by ${skew / 3_600_000} h, or is set, does not change the time of a takeover`, async () => {
    const it = electing();
    const { a, b } = await it.two({}, { skew });
    await it.clock.pass(60_000);
    assert.deepEqual(acting(a, b), ['a']);
    b.setClock(-2 * skew);
    await it.clock.pass(60_000);
    assert.deepEqual(acting(a, b), ['a']);
    a.kill();
    between(await it.timeUntil(() => b.mayAct()), 13_000, 15_200);
  });
}

test('a standby waits for the lease duration of the holder, not for its own', async () => {
  const long = { times: { leaseDuration: 60_000, renewDeadline: 40_000 } };
  const it = electing();
  const { a, b } = await it.two(long);
  a.kill();
  between(await it.timeUntil(() => b.mayAct(), 90_000), 57_000, 60_200);
});

test('a leader survives an outage shorter than the renew deadline, and stops acting in time in a longer one', async () => {
  const it = electing();
  const { a, b } = await it.two();
  const unavailable = { there: 1, back: 1, end: 503 } as const;
  it.injectFault(() => true, unavailable);
  await it.clock.pass(7_000);
  assert.deepEqual(acting(a, b), ['a']);
  it.api.setDelivery(undefined);
  await it.clock.pass(5_000);
  assert.deepEqual([acting(a, b), typesOf(a)], [['a'], ['leadership.acquired']]);
  it.injectFault(() => true, unavailable);
  between(await it.timeUntil(() => !a.mayAct()), 7_900, 10_050);
  assert.equal(a.events.at(-1)?.type, 'leadership.lost');
  assert.deepEqual(statesOf(a), ['electing']);
  await it.clock.pass(20_000);
  assert.deepEqual(acting(a, b), []);
  it.api.setDelivery(undefined);
  between(await it.timeUntil(() => acting(a, b).length === 1), 0, 4_500);
  await it.clock.pass(30_000);
  assert.equal(acting(a, b).length, 1);
});

test('a repeated failure is logged once', async () => {
  const it = electing();
  const { a } = await it.two();
  it.injectFault(({ by }) => by === 'a', { there: 1, back: 1, end: 503 });
  await it.clock.pass(8_000);
  assert.equal(a.warnings.length, 1);
  assert.match(a.warnings[0]?.cause ?? '', /503/);
});

test('a renewal whose response is lost is not mistaken for that of another replica', async () => {
  const it = electing();
  const { a, b } = await it.two();
  let lost = 0;
  it.api.setDelivery(({ method }) => {
    if (method !== 'PUT' || lost > 0) return undefined;
    lost += 1;
    return { there: 1, back: 1, end: 'answerLost' };
  });
  await it.clock.pass(20_000);
  assert.deepEqual([lost, acting(a, b), typesOf(a)], [1, ['a'], ['leadership.acquired']]);
});

test('a replica leads after an acquisition whose response was lost', async () => {
  const it = electing();
  let lost = 0;
  it.api.setDelivery(({ method }) =>
    method === 'POST' && lost++ === 0 ? { there: 1, back: 1, end: 'answerLost' } : undefined,
  );
  const a = it.start('a');
  await it.clock.pass(15_000);
  assert.deepEqual([lost, acting(a)], [1, ['a']]);
});

test('a change of the Lease’s labels by another client does not end leadership', async () => {
  const it = electing();
  const { a, b } = await it.two();
  it.api.store.patch(leases, where.namespace, where.name, { metadata: { labels: { touched: 'yes' } } });
  await it.clock.pass(20_000);
  assert.deepEqual([acting(a, b), typesOf(a)], [['a'], ['leadership.acquired']]);
  const { metadata } = it.api.store.get(leases, where.namespace, where.name) ?? assert.fail();
  assert.deepEqual(metadata.labels, { touched: 'yes' });
});

test('a leader that finds another holder in the Lease stops acting immediately, and stands by', async () => {
  const it = electing();
  const { a } = await it.two();
  it.api.store.patch(leases, where.namespace, where.name, { spec: { holderIdentity: 'thief' } });
  between(await it.timeUntil(() => !a.mayAct()), 0, 2_100);
  await it.clock.pass(100);
  assert.deepEqual([statesOf(a), a.state()?.holder], [['standingBy'], 'thief']);
  assert.deepEqual(typesOf(a), ['leadership.acquired', 'leadership.lost', 'leadership.standsBy']);
});

test('a leader recreates a deleted Lease, and no other replica leads in between', async () => {
  const it = electing();
  const { a, b } = await it.two();
  it.api.store.delete(leases, where.namespace, where.name);
  for (let i = 0; i < 300; i += 1) {
    await it.clock.pass(100);
    assert.deepEqual(acting(a, b), ['a']);
  }
  assert.equal(it.api.spec()['holderIdentity'], 'a');
});

test('a Lease deleted after its leader died is acquired when the leader’s lease duration is over', async () => {
  const it = electing();
  const { a, b } = await it.two();
  a.kill();
  it.api.store.delete(leases, where.namespace, where.name);
  between(await it.timeUntil(() => b.mayAct()), 13_000, 20_000);
});

test('a Lease without a valid holder is acquired immediately', async () => {
  for (const spec of [
    {},
    { holderIdentity: '' },
    { leaseDurationSeconds: -1 },
    { renewTime: 'yesterday' },
    undefined,
  ]) {
    const it = electing();
    it.api.store.create(leases, { metadata: where, ...(spec === undefined ? {} : { spec }) });
    const a = it.start('a');
    await it.clock.pass(1_000);
    assert.deepEqual(acting(a), ['a'], JSON.stringify(spec));
  }
});

test('for a holder with an invalid duration, the standby’s own lease duration counts', async () => {
  const it = electing();
  it.api.store.create(leases, { metadata: where, spec: { holderIdentity: 'stopped', leaseDurationSeconds: 0 } });
  const a = it.start('a');
  between(await it.timeUntil(() => a.mayAct()), 14_900, 15_200);
});

test('a standby says since when the holder leads only if the Lease says so', async () => {
  for (const acquireTime of [undefined, 'yesterday']) {
    const it = electing();
    const spec = {
      holderIdentity: 'other',
      leaseDurationSeconds: 600,
      ...(acquireTime === undefined ? {} : { acquireTime }),
    };
    it.api.store.create(leases, { metadata: where, spec });
    const a = it.start('a');
    await it.clock.pass(1_000);
    assert.deepEqual([a.state()?.holder, a.state()?.heldSince], ['other', undefined], String(acquireTime));
  }
});

test('a response that is not a Lease is logged, and the request is retried', async () => {
  const it = electing();
  const a = it.start('a');
  it.injectFault(() => true, { there: 1, back: 1, end: 'nonsense' });
  await it.clock.pass(5_000);
  assert.deepEqual([acting(a), a.warnings.length], [[], 1]);
  assert.match(a.warnings[0]?.cause ?? '', /something other than the Lease/);
  it.api.setDelivery(undefined);
  await it.clock.pass(5_000);
  assert.deepEqual(acting(a), ['a']);
});

test('a leader that was suspended for longer than the Lease does not act when it continues, and stands by', async () => {
  const it = electing();
  const { a, b } = await it.two();
  await it.clock.pass(1_990);
  a.freeze();
  await it.clock.pass(20_000);
  assert.deepEqual(acting(a, b), ['b']);
  const resumed = a.thaw();
  assert.deepEqual(acting(a, b), ['b']);
  await resumed;
  await it.clock.pass(1_000);
  assert.deepEqual([acting(a, b), statesOf(a, b), a.state()?.holder], [['b'], ['standingBy', 'leading'], 'b']);
});

test('after a suspension, the response to a renewal that was sent before it does not count', async () => {
  const it = electing();
  const { a, b } = await it.two();
  b.kill();
  it.injectFault(({ method }) => method === 'PUT', { there: 1, back: 300 });
  await it.timeUntil(() => it.api.requests.at(-1)?.method === 'PUT');
  a.freeze();
  it.api.setDelivery(undefined);
  await it.clock.pass(12_000);
  const resumed = a.thaw();
  assert.deepEqual(acting(a), []);
  await resumed;
  assert.deepEqual([acting(a), typesOf(a)], [[], ['leadership.acquired', 'leadership.lost']]);
  await it.clock.pass(3_000);
  assert.deepEqual(acting(a), ['a'], 'no other replica took the Lease');
});

test('the wall clock reveals a suspension of the machine that the monotonic clock does not count', async () => {
  const it = electing();
  const a = it.start('a');
  await it.clock.pass(100);
  a.setClock(10_001);
  assert.deepEqual(acting(a), []);
  await it.clock.pass(3_000);
  assert.deepEqual(acting(a), ['a'], 'the next renewal shows that only the clock was set');
});

test('a replica that shuts down while it acquires the Lease releases it', async () => {
  const it = electing();
  it.injectFault(({ method }) => method === 'POST', { there: 500, back: 500 });
  const a = it.start('a');
  await it.clock.pass(100);
  a.shutdown();
  await it.clock.pass(2_000);
  assert.deepEqual([it.api.spec()['holderIdentity'], acting(a)], ['', []]);
});

test('a replica that shuts down during a renewal releases the Lease', async () => {
  const it = electing();
  const a = it.start('a');
  await it.clock.pass(100);
  it.injectFault(({ method }) => method === 'PUT', { there: 100, back: 500 });
  await it.clock.pass(2_050);
  a.shutdown();
  await it.clock.pass(3_000);
  assert.equal(it.api.spec()['holderIdentity'], '');
});
