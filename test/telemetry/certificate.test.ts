import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { pino } from 'pino';
import { sendText } from '../../src/base/http.ts';
import { listen } from '../../src/base/listen.ts';
import { certificateOf } from '../../src/telemetry/certificate.ts';
import { folder } from '../support/cli.ts';

const now = new Date('2026-11-24T10:00:00Z');
const address = { host: '127.0.0.1', port: 0 };
const options = { clock: virtualClock(now.getTime()), logger: pino({ enabled: false }) };

async function certificate(...[cert, key]: readonly string[]) {
  const result = await certificateOf(cert, key, options);
  assert.ok(result.ok, result.ok ? '' : result.error.message);
  return result.value;
}

const currentFiles = async (...files: readonly string[]) => (await certificate(...files)).current;

test('without files the certificate is self-signed, for weeder, valid for ten years, and serves TLS', async () => {
  const own = await certificate();
  const { cert: ca } = own.current;
  const parsed = new X509Certificate(ca);
  assert.equal(parsed.subject, 'CN=weeder');
  assert.equal(parsed.subjectAltName, 'DNS:weeder');
  assert.ok(parsed.verify(parsed.publicKey));
  assert.deepEqual([parsed.validFromDate, parsed.validToDate], [now, new Date('2036-11-24T10:00:00Z')]);
  assert.notEqual(new X509Certificate((await currentFiles()).cert).serialNumber, parsed.serialNumber);
  const served = await listen({
    flag: '--x',
    address,
    listener: (request, response) => sendText(request, response, 200, 'secret'),
    certificate: own,
    onRefused: (error) => assert.fail(error),
  });
  assert.ok(served.ok);
  const text = await new Promise((resolve, reject) => {
    const url = `https://127.0.0.1:${served.value.port}/`;
    const sent = get(url, { ca, servername: 'weeder', agent: false }, (response) => {
      response.setEncoding('utf8').on('data', resolve);
    });
    sent.on('error', reject);
  });
  assert.equal(text, 'secret');
  await served.value.close();
});

test('a certificate is read from its files; files that do not fit together or are missing are errors', async () => {
  const [one, other] = [await currentFiles(), await currentFiles()];
  const files = Object.entries({ cert: one.cert, key: one.key, wrong: other.key }).map(([name, text]) => {
    const path = join(folder, `${name}.pem`);
    writeFileSync(path, text);
    return path;
  });
  const [cert = '', key = '', wrong = ''] = files;
  assert.deepEqual(String((await currentFiles(cert, key)).cert), String(one.cert));
  for (const [first, second, message] of [
    [cert, wrong, /^The certificate of --metrics-tls-cert cannot be used: /],
    [cert, join(folder, 'none.pem'), /^The certificate of --metrics-tls-cert cannot be used: .*none\.pem/],
    [cert, undefined, /need each other\.$/],
    [undefined, key, /need each other\.$/],
  ] as const) {
    const result = await certificateOf(first, second, options);
    assert.match(result.ok ? '' : result.error.message, message);
  }
});
