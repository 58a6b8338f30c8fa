import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf, systemClock } from '@weeder/kube-runtime/base';
import {
  type ApiFailure,
  type ApiResult,
  createKubeClient,
  dryRunClient,
  leaderGate,
} from '@weeder/kube-runtime/client';
import {
  accessTo,
  answerWith,
  clientOf,
  faultyServer,
  type ReceivedRequest,
  type ServerAnswer,
  statusBody,
  virtualClock,
} from '@weeder/kube-runtime/testing';
import { type HashKeys, hashKeyOf, readHashKeys } from '../../../src/restart/digest/hashKeys.ts';
import { watchHashKeys } from '../../../src/restart/digest/watchHashKeys.ts';
import type { RestartEvent } from '../../../src/restart/references/events.ts';
import { base64 } from '../../support/objects/sourceObjects.ts';

const where = { namespace: 'weeder', name: 'weeder-hash-key' };
const path = '/api/v1/namespaces/weeder/secrets';
const signal = new AbortController().signal;
const bytes = (fill: number, length = 32) => Buffer.alloc(length, fill);

/** An API server with at most one Secret, which it serves as kube-apiserver does. */
async function withSecret(data?: JsonObject) {
  let secret: JsonObject | undefined;
  let version = 1;
  const put = (object: JsonObject) => {
    version += 1;
    secret = { ...object, kind: 'Secret', metadata: { ...where, uid: 'u', resourceVersion: String(version) } };
  };
  const refusalOf = (method: string, sent: JsonObject) => {
    if (method === 'POST') return secret === undefined ? undefined : refusal(409, 'AlreadyExists');
    if (secret === undefined) return refusal(404, 'NotFound');
    const isStale = objectOf(sent['metadata'])['resourceVersion'] !== String(version);
    return method === 'PUT' && isStale ? refusal(409, 'Conflict') : undefined;
  };
  const server = await faultyServer('http', serve);
  function serve({ method, body }: ReceivedRequest, answer: ServerAnswer): void {
    const sent = body === '' ? {} : objectOf(JSON.parse(body));
    const refused = refusalOf(method, sent);
    if (refused === undefined && method !== 'GET') put(sent);
    answer.head(refused?.code ?? 200);
    answer.end(refused?.body ?? JSON.stringify(secret));
  }
  const client = createKubeClient({ userAgent: 'weeder/test', access: accessTo(server.url), clock: systemClock });
  if (data !== undefined) put({ data });
  return {
    server,
    client,
    put,
    secret: () => secret,
    methods: () => server.requests.map(({ method }) => method),
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
    },
  };
}

function refusal(code: number, reason: string) {
  return { code, body: statusBody(code, reason, `it was ${reason}`) };
}

const isWrite = ({ method }: ReceivedRequest) => method !== 'GET';

test('an existing key is read, and nothing is written', async () => {
  await using it = await withSecret({ key: base64(bytes(1)) });
  const keys = await readHashKeys(it.client, where, signal);
  assert(keys.ok);
  assert.deepEqual(keys.value.current, hashKeyOf(bytes(1)));
  assert.deepEqual(it.methods(), ['GET']);
});

test('the ID of a key has 8 characters, is the same for the same key, and does not reveal it', () => {
  assert.equal(hashKeyOf(bytes(1)).id, hashKeyOf(bytes(1)).id);
  assert.notEqual(hashKeyOf(bytes(1)).id, hashKeyOf(bytes(2)).id);
  assert.match(hashKeyOf(bytes(1)).id, /^[A-Za-z0-9_-]{8}$/);
});

test('rotation: the entry `key` is the current one, and keys under other names are found by their ID', async () => {
  await using it = await withSecret({ key: base64(bytes(1)), 'key-of-spring': base64(bytes(2, 64)) });
  const keys = await readHashKeys(it.client, where, signal);
  assert(keys.ok);
  const [current, old, unknown] = [bytes(1), bytes(2, 64), bytes(3)].map(hashKeyOf);
  assert.deepEqual(keys.value.current, current);
  assert.deepEqual(keys.value.byId(old?.id ?? ''), old);
  assert.deepEqual(keys.value.byId(current?.id ?? ''), current);
  assert.equal(keys.value.byId(unknown?.id ?? ''), undefined);
});

for (const { data, methods } of [
  { data: undefined, methods: ['GET', 'POST'] },
  { data: {}, methods: ['GET', 'PUT'] },
]) {
  test(`${data === undefined ? 'no Secret' : 'a Secret without entries'}: a key is created, and the next read finds the same key`, async () => {
    await using it = await withSecret(data);
    const first = await readHashKeys(it.client, where, signal);
    assert.deepEqual(it.methods(), methods);
    assert.equal(it.server.requests[1]?.path, data === undefined ? path : `${path}/weeder-hash-key`);
    const second = await readHashKeys(it.client, where, signal);
    assert(first.ok && second.ok);
    assert.equal(first.value.current.bytes.length, 32);
    assert.deepEqual(second.value.current, first.value.current);
  });

  test(`${data === undefined ? 'no Secret' : 'a Secret without entries'}: two replicas that create a key at the same time use the same key`, async () => {
    await using it = await withSecret(data);
    it.server.failNext((_answer, _request, proceed) => {
      it.put({ data: { key: base64(bytes(9)) } });
      proceed();
    }, isWrite);
    const keys = await readHashKeys(it.client, where, signal);
    assert(keys.ok);
    assert.deepEqual(keys.value.current, hashKeyOf(bytes(9)));
    assert.deepEqual(it.methods(), [...methods, 'GET']);
  });
}

for (const { data, sentence } of [
  { data: { key: '' }, sentence: 'has 0 bytes in key, and a key needs at least 32.' },
  { data: { key: base64(bytes(1, 31)) }, sentence: 'has 31 bytes in key, and a key needs at least 32.' },
  { data: { key: 'not base64!' }, sentence: 'has an entry key that is not base64.' },
  { data: { key: 7 }, sentence: 'has an entry key that is not base64.' },
  { data: { other: base64(bytes(1)) }, sentence: 'has no entry key.' },
  { data: { key: base64(bytes(1)), old: 'AA==' }, sentence: 'has 1 bytes in old, and a key needs at least 32.' },
]) {
  test(`a Secret that ${sentence} Nothing is written, and the error says what to do`, async () => {
    await using it = await withSecret(data);
    const keys = await readHashKeys(it.client, where, signal);
    assert(!keys.ok);
    assert.equal(keys.error.code, 'HASH_KEY_INVALID');
    assert.equal(keys.error.message, `The Secret weeder/weeder-hash-key ${sentence}`);
    assert.match(keys.error.hint, /32 random bytes.*or delete the Secret/);
    assert.deepEqual(it.methods(), ['GET']);
  });
}

test('the error for a missing permission names the rule that grants it', async () => {
  await using it = await withSecret();
  const message =
    'secrets is forbidden: User "weeder" cannot create resource "secrets" in API group "" in the namespace "weeder"';
  it.server.failNext(answerWith(403, statusBody(403, 'Forbidden', message)), isWrite);
  const keys = await readHashKeys(it.client, where, signal);
  assert(!keys.ok);
  assert.equal(keys.error.code, 'HASH_KEY_UNAVAILABLE');
  assert.match(keys.error.message, /^The Secret weeder\/weeder-hash-key is unavailable: .* verbs: \["create"\]\}\.$/);
});

test('a missing namespace is an error, and is not retried', async () => {
  await using it = await withSecret();
  it.server.failAll(answerWith(404, refusal(404, 'NotFound').body));
  const keys = await readHashKeys(it.client, where, signal);
  assert.equal(!keys.ok && keys.error.code, 'HASH_KEY_UNAVAILABLE');
  assert.deepEqual(it.methods(), ['GET', 'POST']);
});

test('a Secret that appears and disappears at each attempt is an error after a limited number of attempts', async () => {
  await using it = await withSecret();
  it.server.failAll(answerWith(409, refusal(409, 'AlreadyExists').body), isWrite);
  const keys = await readHashKeys(it.client, where, signal);
  assert(!keys.ok);
  assert.match(keys.error.message, /is unavailable: It changes faster than it can be read\.$/);
  assert.equal(it.methods().length, 10);
});

test('a standby replica creates no key, and reads an existing one', async () => {
  await using it = await withSecret();
  const standby = leaderGate({ isValid: () => false, signal }, it.client);
  const none = await readHashKeys(standby, where, signal);
  assert.match(none.ok ? '' : none.error.message, /this replica lost leadership/);
  assert.equal(it.secret(), undefined);
  it.put({ data: { key: base64(bytes(1)) } });
  assert.equal((await readHashKeys(standby, where, signal)).ok, true);
});

test('a dry run has a key but creates no Secret', async () => {
  await using it = await withSecret();
  const keys = await readHashKeys(dryRunClient(it.client), where, signal);
  assert(keys.ok);
  assert.equal(keys.value.current.bytes.length, 32);
  assert.equal(it.secret(), undefined);
});

for (const isThere of [true, false]) {
  test(`a run that finds ${isThere ? 'the Secret' : 'no Secret'} ${isThere ? 'does not report' : 'reports'} that weeder created it`, async () => {
    await using it = await withSecret(isThere ? { key: base64(bytes(1)) } : undefined);
    const { promise: checked, resolve: onChecked } = Promise.withResolvers<void>();
    const reported: unknown[] = [];
    const end = watchHashKeys({
      client: it.client,
      clock: systemClock,
      where: () => where,
      isDryRun: false,
      report: (event) => reported.push(event),
      onKeys: () => {},
      onChecked,
    });
    await checked;
    end();
    const { namespace, name } = where;
    assert.deepEqual(reported, isThere ? [] : [{ type: 'key.created', secret: `${namespace}/${name}` }]);
  });

  const [what, which] = isThere ? ['the Secret', 'its key'] : ['no Secret', 'a key of its own'];
  test(`a dry run that finds ${what} uses ${which}, and writes nothing`, async () => {
    await using it = await withSecret(isThere ? { key: base64(bytes(1)) } : undefined);
    const { promise: keys, resolve: onKeys } = Promise.withResolvers<HashKeys>();
    const [report, onChecked] = [() => {}, () => {}];
    const end = watchHashKeys({
      client: it.client,
      clock: systemClock,
      where: () => where,
      isDryRun: true,
      report,
      onKeys,
      onChecked,
    });
    assert.equal((await keys).current.id === hashKeyOf(bytes(1)).id, isThere);
    end();
    assert.deepEqual(it.server.requests.filter(isWrite), []);
  });
}

type Answer = ApiResult | 'key';
const failing = (failure: ApiFailure): ApiResult => ({ ok: false, failure });
const hanging = failing({ type: 'timeout', message: 'nothing arrived' });
const lost = failing({ type: 'cancelled', message: 'this replica lost leadership' });
const denied = failing({ type: 'forbidden', status: 403, message: 'no' });

for (const { what, answers, reads, reported } of [
  {
    what: 'one failure of the first read that passes by itself is not reported',
    answers: [hanging, 'key'],
    reads: 2,
    reported: [],
  },
  { what: 'lost leadership is not reported', answers: [lost, 'key'], reads: 2, reported: [] },
  {
    what: 'two failures in a row are reported once, and say that weeder reads again',
    answers: [hanging, hanging, hanging, 'key'],
    reads: 2,
    reported: [{ isKnown: false, says: /did not answer in time: nothing arrived\. .* Weeder reads it again\.$/ }],
  },
  {
    what: 'a missing permission is reported at once, and says what to grant',
    answers: [denied, 'key'],
    reads: 1,
    reported: [{ isKnown: false, says: /Grant weeder get, create and update/ }],
  },
  {
    what: 'with a key, an API server that does not answer is not reported',
    answers: ['key', hanging, hanging],
    reads: 1,
    reported: [],
  },
  {
    what: 'with a key, a permission that is gone is reported with the key that is used',
    answers: ['key', denied, denied],
    reads: 1,
    reported: [{ isKnown: true, says: /Grant weeder/ }],
  },
] satisfies readonly { what: string; answers: readonly Answer[]; reads: number; reported: readonly object[] }[]) {
  test(`the hash key is read periodically: ${what}`, async () => {
    const clock = virtualClock();
    const remaining: Answer[] = [...answers];
    const secret = { kind: 'Secret', metadata: { name: where.name }, data: { key: base64(bytes(1)) } };
    const events: RestartEvent[] = [];
    let keys = 0;
    let checkedAfter: number | undefined;
    const end = watchHashKeys({
      client: clientOf(async () => {
        const answer = remaining.shift() ?? 'key';
        return answer === 'key' ? { ok: true, status: 200, body: secret } : answer;
      }),
      clock,
      where: () => where,
      isDryRun: false,
      report: (event) => events.push(event),
      onKeys: () => {
        keys += 1;
      },
      onChecked() {
        checkedAfter = answers.length - remaining.length;
      },
    });
    await clock.pass(600_000);
    end();
    const missing = events.filter((event) => event.type === 'key.missing');
    assert.deepEqual(
      missing.map(({ isKnown }) => isKnown),
      reported.map(({ isKnown }) => isKnown),
    );
    for (const [index, { says }] of reported.entries()) assert.match(missing[index]?.reason ?? '', says);
    assert.ok(keys > 1);
    // Restart control begins once it is known whether there is a key.
    assert.equal(checkedAfter, reads);
  });
}
