import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pullErrorOf } from '../../../src/weeder/pods/pullError.ts';

const image = 'registry.images.svc:5000/web:1';
const resolving = `failed to pull and unpack image "${image}": failed to resolve reference "${image}"`;
const request = `${resolving}: failed to do request: Head "https://registry.images.svc:5000/v2/web/manifests/1"`;
const old = 'rpc error: code = Unknown desc = ';
const of = (message: string, reason = 'ErrImagePull') => pullErrorOf({ reason, message })?.kind;

/** As containerd, CRI-O and cri-dockerd report them. */
const away = [
  `${request}: dial tcp 10.96.0.12:5000: connect: connection refused`,
  `${old}${request}: dial tcp 10.96.0.12:5000: connect: connection refused`,
  `${request}: dial tcp 10.96.0.12:5000: connect: no route to host`,
  `${request}: dial tcp 10.96.0.12:5000: i/o timeout`,
  `${request}: dial tcp 10.96.0.12:5000: connect: connection timed out`,
  `${request}: dial tcp [fd00::c]:5000: connect: network is unreachable`,
  `${request}: dial tcp: lookup registry.images.svc: no such host`,
  `${request}: dial tcp: lookup registry.images.svc on 10.96.0.10:53: server misbehaving`,
  `${request}: dial tcp: lookup registry.images.svc on 10.96.0.10:53: read udp 10.0.0.1:4711->10.96.0.10:53: i/o timeout`,
  `${request}: read tcp 10.0.0.1:4711->10.96.0.12:5000: read: connection reset by peer`,
  `${request}: EOF`,
  `${request}: net/http: TLS handshake timeout`,
  `${request}: context deadline exceeded`,
  `${request}: net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)`,
  `${resolving}: unexpected status from HEAD request to https://registry.images.svc:5000/v2/web/manifests/1: 503 Service Unavailable`,
  `${resolving}: unexpected status code https://registry.images.svc:5000/v2/web/manifests/1: 502 Bad Gateway`,
  `${old}failed to pull and unpack image "${image}": failed to copy: httpReadSeeker: failed open: unexpected status code https://registry.images.svc:5000/v2/web/blobs/sha256:0: 500 Internal Server Error`,
  `${old}pinging container registry registry.images.svc:5000: Get "https://registry.images.svc:5000/v2/": dial tcp 10.96.0.12:5000: connect: connection refused`,
  `${old}reading manifest 1 in registry.images.svc:5000/web: received unexpected HTTP status: 503 Service Unavailable`,
  `${old}Error response from daemon: Get https://registry.images.svc:5000/v2/: dial tcp 10.96.0.12:5000: connect: connection refused`,
];

const other = [
  `${resolving}: ${image}: not found`,
  `${resolving}: pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
  `${resolving}: unexpected status from HEAD request to https://registry.images.svc:5000/v2/web/manifests/1: 401 Unauthorized`,
  `${resolving}: unexpected status from HEAD request to https://registry.images.svc:5000/v2/web/manifests/1: 403 Forbidden`,
  `${resolving}: unexpected status from HEAD request to https://registry.images.svc:5000/v2/web/manifests/1: 404 Not Found`,
  `${resolving}: unexpected status from HEAD request to https://registry.images.svc:5000/v2/web/manifests/1: 429 Too Many Requests`,
  `${request}: tls: failed to verify certificate: x509: certificate signed by unknown authority`,
  `${request}: http: server gave HTTP response to HTTPS client`,
  `${request}: proxyconnect tcp: dial tcp 10.0.0.3:3128: connect: connection refused`,
  `failed to pull and unpack image "${image}": failed to extract layer sha256:0: write /var/lib/containerd/x: no space left on device: unknown`,
  `failed to pull and unpack image "${image}": failed to extract layer sha256:0: unexpected EOF`,
  `${resolving}: failed to authorize: failed to fetch anonymous token: Get "https://auth.images.svc/token": dial tcp 10.96.0.13:443: connect: connection refused`,
  `${old}(Mirrors also failed: [mirror.images.svc:5000/web:1: denied: no access]): registry.images.svc:5000/web:1: pinging container registry registry.images.svc:5000: Get "https://registry.images.svc:5000/v2/": dial tcp 10.96.0.12:5000: connect: connection refused`,
  `${old}connection error: desc = "transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: connection refused"`,
  'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
  `couldn't parse image reference "X y: dial tcp 10.0.0.1:1: connect: connection refused": invalid reference format`,
  'the registry has said: connection refused',
  `${request}: dial tcp 10.96.0.12:5000: connect: connection refused, and then something else`,
];

test('a registry that cannot be reached, or that cannot serve, is away', () => {
  for (const message of away) {
    assert.equal(of(message), 'away', message);
    assert.equal(
      of(`Back-off pulling image "${image}": ErrImagePull: ${message}`, 'ImagePullBackOff'),
      'away',
      message,
    );
  }
  const unavailable = `image pull failed for ${image} because the registry is unavailable`;
  assert.equal(of(unavailable, 'RegistryUnavailable'), 'away');
  const backedOff = `Back-off pulling image "${image}": RegistryUnavailable: ${unavailable}: pinging container registry`;
  assert.equal(of(backedOff, 'ImagePullBackOff'), 'away');
});

test('an image that does not exist, a refusal, a certificate, a full disk and whatever is not known are no outages', () => {
  for (const message of other) {
    assert.equal(of(message), 'other', message);
    assert.equal(
      of(`Back-off pulling image "${image}": ErrImagePull: ${message}`, 'ImagePullBackOff'),
      'other',
      message,
    );
  }
  assert.equal(of(`${request}${'x'.repeat(9000)}: dial tcp 10.0.0.1:1: connect: connection refused`), 'other');
});

test('names of images and hosts are not read as reasons', () => {
  const named = 'registry.images.svc:5000/certificate/not-found/denied/token:unauthorized';
  const pinged = 'pinging container registry token.images.svc:5000: Get "https://token.images.svc:5000/v2/"';
  for (const message of [
    `failed to resolve reference "${named}": failed to do request: Head "https://${named}": dial tcp 10.0.0.1:1: i/o timeout`,
    `reading manifest 1 in ${named}: received unexpected HTTP status: 503 Service Unavailable`,
    `${pinged}: dial tcp: lookup token.images.svc: no such host`,
  ])
    assert.equal(of(message), 'away', message);
  assert.equal(of(`failed to resolve reference "dial tcp 10.0.0.1:1: connection refused"`), 'other');
});

test('a kubelet before 1.32 says why only in some of the statuses', () => {
  assert.equal(of(`Back-off pulling image "${image}"`, 'ImagePullBackOff'), 'unsaid');
  assert.equal(of('', 'ErrImagePull'), 'unsaid');
});

test('other reasons are not about pulls', () => {
  for (const reason of ['ErrImageNeverPull', 'InvalidImageName', 'ImageInspectError', 'ContainerCreating'])
    assert.equal(of(`${request}: dial tcp 10.96.0.12:5000: connect: connection refused`, reason), undefined);
});

test('the detail is the innermost error', () => {
  const detail = (message: string) => pullErrorOf({ reason: 'ErrImagePull', message })?.detail;
  assert.equal(detail(away[0] ?? ''), 'dial tcp 10.96.0.12:5000: connect: connection refused');
  assert.equal(detail('no quotes: EOF'), 'no quotes: EOF');
});
