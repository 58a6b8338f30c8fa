import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { dnsFailuresIn } from '../../../src/suggest/messages/dnsFailures.ts';

/** What is shown of each sign, with a mark for an answer. */
function signs(text: string): string[] {
  return dnsFailuresIn(text).map(({ isAnswer, found }) => `${found}${isAnswer ? ' (answer)' : ''}`);
}

/** Texts of programs, and the sign that each contains. */
const failures = [
  [
    'dial tcp: lookup postgres on 10.96.0.10:53: read udp 10.244.0.5:34567->10.96.0.10:53: i/o timeout',
    '10.96.0.10:53: i/o timeout',
  ],
  [
    'Get "http://api": dial tcp: lookup api on [fd00:10:96::a]:53: read udp [fd00::5]:4->[fd00:10:96::a]:53: read: connection refused',
    'fd00:10:96::a:53: connection refused',
  ],
  [
    'lookup a.b on 10.96.0.10:53: dial tcp 10.96.0.10:53: connect: connection refused',
    '10.96.0.10:53: connection refused',
  ],
  ['lookup db on 10.96.0.10:53: dial udp: i/o timeout', '10.96.0.10:53: i/o timeout'],
  ['lookup db on 10.96.0.10:53: server misbehaving', '10.96.0.10:53: server misbehaving (answer)'],
  ['dial tcp: lookup db: i/o timeout', 'i/o timeout'],
  [
    'could not translate host name "db" to address: Temporary failure in name resolution',
    'Temporary failure in name resolution',
  ],
  ['php_network_getaddresses: getaddrinfo for db failed: Try again', 'Try again'],
  ['could not translate host name "db" to address: Try again', 'Try again'],
  ['failed to lookup address information: Try again', 'Try again'],
  ['Error: getaddrinfo EAI_AGAIN postgres', 'getaddrinfo EAI_AGAIN'],
  ['Error: querySrv ETIMEOUT _mongodb._tcp.db', 'querySrv ETIMEOUT'],
  ['Error: queryA ECONNREFUSED db', 'queryA ECONNREFUSED'],
  ['Error: queryA ESERVFAIL db', 'queryA ESERVFAIL (answer)'],
  [';; communications error to 10.96.0.10#53: timed out', '10.96.0.10:53: timed out'],
  [';; communications error to 10.96.0.10#53: connection refused', '10.96.0.10:53: connection refused'],
] as const;

/** Like the texts above, but the DNS server has answered, or it is another server that has not. */
const others = [
  'dial tcp: lookup api.example.com on 10.96.0.10:53: no such host',
  'dial tcp: lookup api.example.com: no such host',
  'lookup db on 10.96.0.10:53: dial udp 10.96.0.10:53: connect: network is unreachable',
  'lookup db on 10.96.0.10:5353: server misbehaving',
  'dial tcp 10.96.0.10:53: i/o timeout',
  'dial tcp 10.96.0.7:5432: i/o timeout',
  'dial tcp 10.96.0.7:5432: connect: connection refused',
  'the lookup of the table failed: i/o timeout',
  'upstream server misbehaving',
  'could not translate host name "db" to address: Name or service not known',
  'Temporary failure in authentication',
  'Login failed: Try again',
  'getaddrinfo for host "db" port 5432: Name does not resolve',
  'getaddrinfo: No address associated with hostname',
  'Error: getaddrinfo ENOTFOUND postgres',
  'Error: write EAI_AGAIN',
  'Error: querySrv ENOTFOUND _mongodb._tcp.db',
  'Error: queryA ENODATA db',
  'Error: connect ETIMEDOUT 10.96.0.10:5432',
  'Error: connect ECONNREFUSED 10.96.0.10:53',
  ';; communications error to 10.96.0.10#5353: timed out',
  ';; communications error to 10.96.0.10#53: end of file',
  'connection timed out; no servers could be reached',
  "** server can't find db: NXDOMAIN",
  "** server can't find db.shop.svc.cluster.local: SERVFAIL of a zone",
  "wget: bad address 'db'",
  'curl: (6) Could not resolve host: db',
];

suite('signs of a failed DNS server', () => {
  for (const [text, sign] of failures)
    test(text.slice(0, 120), () => {
      assert.deepEqual(signs(text), [sign]);
    });

  for (const text of others)
    test(`none: ${text}`, () => {
      assert.deepEqual(signs(text), []);
    });

  test('the name is not quoted: of a malformed URL, it may be a password', () => {
    for (const name of ['postgres://admin:hunter2@db', 'hunter2']) {
      const text = `lookup ${name} on 10.96.0.10:53: server misbehaving\nlookup ${name}: i/o timeout\ngetaddrinfo EAI_AGAIN ${name}`;
      assert.equal(signs(text).length, 3);
      assert.doesNotMatch(JSON.stringify(dnsFailuresIn(text)), /hunter2/);
    }
  });
});
