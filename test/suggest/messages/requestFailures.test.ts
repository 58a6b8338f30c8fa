import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { requestFailuresIn } from '../../../src/suggest/messages/requestFailures.ts';

function failuresIn(text: string, of: 'run' | 'pull'): string[] {
  return requestFailuresIn(text, of).map(({ to, host, port, found }) => `${to} ${host} ${port}: ${found}`);
}

const webhook = 'Internal error occurred: failed calling webhook "pods.policy.io": failed to call webhook: ';
const post = 'Post "https://policy.guard.svc:443/mutate?timeout=10s&token=hunter2"';
const dialed = 'dial tcp 10.96.3.4:443: connect: ';
const shown = 'webhook "pods.policy.io": https://policy.guard.svc:443';

const ofRuns = [
  [`${webhook}${post}: ${dialed}connection refused`, `webhook policy.guard.svc 443: ${shown}: connection refused`],
  [
    `${webhook}${post}: no endpoints available for service "policy"`,
    `webhook policy.guard.svc 443: ${shown}: no endpoints available for service`,
  ],
  [`${webhook}${post}: context deadline exceeded`, `webhook policy.guard.svc 443: ${shown}: context deadline exceeded`],
  [
    `{"error":"failed calling webhook \\"a.b\\": Post \\"https://a.b.svc/x\\": EOF"}`,
    'webhook a.b.svc 443: webhook "a.b": https://a.b.svc: EOF',
  ],
  [
    'failed calling webhook "a.b": Post https://a.b.svc:8443/x: net/http: TLS handshake timeout',
    'webhook a.b.svc 8443: webhook "a.b": https://a.b.svc:8443: TLS handshake timeout',
  ],
  [
    'Error starting CSI manager: Get "http://longhorn-backend:9500/v1": dial tcp 10.43.1.2:9500: connect: connection refused',
    'CSI driver longhorn-backend 9500: http://longhorn-backend:9500: connection refused',
  ],
  [
    'could not register: Put "https://trident-csi:34571/node/x": read tcp 10.1.1.1:4->10.2.2.2:34571: read: connection reset by peer',
    'CSI driver trident-csi 34571: https://trident-csi:34571: connection reset by peer',
  ],
] as const;

const notOfRuns = [
  'admission webhook "pods.policy.io" denied the request: no',
  `${webhook}${post}: x509: certificate signed by unknown authority`,
  `${webhook}${post}: dial tcp: lookup policy.guard.svc on 10.96.0.10:53: i/o timeout`,
  `${webhook}the server could not find the requested resource`,
  `${post}: ${dialed}connection refused`,
  'CSI: Get "http://longhorn-backend:9500/v1": dial tcp: lookup longhorn-backend: no such host',
  'CSI: Get "http://user:1234@longhorn-backend:9500/v1": EOF',
  'CSI: longhorn-backend answered 404',
  'Get "http://longhorn-backend:9500/v1": EOF',
];

const pulling = 'failed to pull and unpack image "x": failed to resolve reference "x": failed to do request: ';
const ofPulls = [
  [
    `${pulling}Head "https://registry.infra.svc:5000/v2/x/manifests/1": dial tcp 10.96.7.7:5000: connect: connection refused`,
    'registry registry.infra.svc 5000: https://registry.infra.svc:5000: connection refused',
  ],
  [
    'Error response from daemon: Get "http://[fd00::7]/v2/": dial tcp [fd00::7]:80: i/o timeout',
    'registry fd00::7 80: http://[fd00::7]: i/o timeout',
  ],
  [
    'unexpected status from HEAD request to http://10.96.7.7:5000/v2/x/manifests/1: 503 Service Unavailable',
    'registry 10.96.7.7 5000: http://10.96.7.7:5000: 503',
  ],
] as const;

const notOfPulls = [
  `${pulling}Head "https://registry.infra.svc:5000/v2/x": dial tcp: lookup registry.infra.svc on 10.0.0.2:53: no such host`,
  `${pulling}Head "https://registry.infra.svc:5000/v2/x": x509: certificate has expired`,
  'unexpected status from HEAD request to https://registry.infra.svc:5000/v2/x: 401 Unauthorized',
  'failed to resolve reference "registry.infra.svc:5000/x:1": registry.infra.svc:5000/x:1: not found',
  'pull access denied, repository does not exist',
  'Back-off pulling image "registry.infra.svc:5000/x:1"',
];

suite('requests that failed because a cluster service was away', () => {
  for (const [text, failure] of ofRuns)
    test(`of a run: ${text}`, () => {
      assert.deepEqual(failuresIn(text, 'run'), [failure]);
    });
  for (const text of notOfRuns)
    test(`none of a run: ${text}`, () => {
      assert.deepEqual(failuresIn(text, 'run'), []);
    });
  for (const [text, failure] of ofPulls)
    test(`of a pull: ${text}`, () => {
      assert.deepEqual(failuresIn(text, 'pull'), [failure]);
    });
  for (const text of notOfPulls)
    test(`none of a pull: ${text}`, () => {
      assert.deepEqual(failuresIn(text, 'pull'), []);
    });
});
