import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { listen, sendText } from '../../src/base/http.ts';
import { certificateOf } from '../../src/telemetry/certificate.ts';
import { folder } from '../support/cli.ts';

const now = new Date('2026-11-24T10:00:00Z');
const address = { host: '127.0.0.1', port: 0 };

async function made(...[cert, key]: readonly string[]) {
  const tls = await certificateOf(cert, key, now);
  assert.ok(tls.ok, tls.ok ? '' : tls.error.message);
  return tls.value;
}

test('without files the certificate is self-signed, for weeder, valid for ten years, and serves TLS', async () => {
  const tls = await made();
  const certificate = new X509Certificate(tls.cert);
  assert.equal(certificate.subject, 'CN=weeder');
  assert.equal(certificate.subjectAltName, 'DNS:weeder');
  assert.ok(certificate.verify(certificate.publicKey));
  assert.deepEqual([certificate.validFromDate, certificate.validToDate], [now, new Date('2036-11-24T10:00:00Z')]);
  assert.notEqual(new X509Certificate((await made()).cert).serialNumber, certificate.serialNumber);
  const served = await listen('--x', address, (request, response) => sendText(request, response, 200, 'secret'), tls);
  assert.ok(served.ok);
  const text = await new Promise((resolve, reject) => {
    const url = `https://127.0.0.1:${served.value.port}/`;
    const sent = get(url, { ca: tls.cert, servername: 'weeder', agent: false }, (response) => {
      response.setEncoding('utf8').on('data', resolve);
    });
    sent.on('error', reject);
  });
  assert.equal(text, 'secret');
  await served.value.close();
});

test('a certificate is read from its files; files that do not fit together or are missing are errors', async () => {
  const [one, other] = [await made(), await made()];
  const files = Object.entries({ cert: one.cert, key: one.key, wrong: other.key }).map(([name, text]) => {
    const path = join(folder, `${name}.pem`);
    writeFileSync(path, text);
    return path;
  });
  const [cert = '', key = '', wrong = ''] = files;
  assert.deepEqual(String((await made(cert, key)).cert), String(one.cert));
  for (const [first, second, message] of [
    [cert, wrong, /^The certificate of --metrics-tls-cert cannot be used: /],
    [cert, join(folder, 'none.pem'), /^The certificate of --metrics-tls-cert cannot be used: .*none\.pem/],
    [cert, undefined, /need each other\.$/],
    [undefined, key, /need each other\.$/],
  ] as const) {
    const tls = await certificateOf(first, second, now);
    assert.match(tls.ok ? '' : tls.error.message, message);
  }
});
