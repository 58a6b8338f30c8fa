import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { until, virtualClock } from '@weeder/kube-runtime/testing';
import { pino } from 'pino';
import type { TlsFiles } from '../../src/base/listen.ts';
import { createReload } from '../../src/process/reload.ts';
import { certificateOf } from '../../src/telemetry/certificate.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';

const minute = 60_000;
const silent = pino({ enabled: false });

async function pair(): Promise<TlsFiles> {
  const result = await certificateOf(undefined, undefined, { clock: virtualClock(), logger: silent });
  return result.ok ? result.value.current : assert.fail(result.error.message);
}

/** A Secret that is mounted into a folder: the kubelet replaces all of its files at once, by one symlink. */
function mountedSecret(folder: string) {
  let versions = 0;
  return {
    cert: join(folder, 'tls.crt'),
    key: join(folder, 'tls.key'),
    put({ cert, key }: TlsFiles) {
      versions += 1;
      const version = join(folder, `..version-${versions}`);
      mkdirSync(version);
      writeFileSync(join(version, 'tls.crt'), cert);
      writeFileSync(join(version, 'tls.key'), key);
      symlinkSync(version, join(folder, '..data_tmp'));
      renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
      if (versions > 1) return;
      for (const name of ['tls.crt', 'tls.key']) symlinkSync(join('..data', name), join(folder, name));
    },
  };
}

/** The metrics of a process, served over TLS with a mounted certificate. */
async function secured(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-certificate-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const secret = mountedSecret(folder);
  const first = await pair();
  secret.put(first);
  const clock = virtualClock();
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const config = { services: new Map(), restart: undefined };
  const reload = createReload({ config, clock, logger: silent, apply: () => {} });
  const served = await createTelemetry({ reload, logger, clock }).serve({
    healthBindAddr: 'none',
    metricsBindAddr: { host: '127.0.0.1', port: 0 },
    debugActors: 'none',
    metricsSecure: true,
    metricsTlsCert: secret.cert,
    metricsTlsKey: secret.key,
  });
  const { metricsPort: port = 0, close } = served.ok ? served.value : assert.fail(served.error.message);
  let isClosed = false;
  const stop = async () => {
    if (!isClosed) await close();
    isClosed = true;
  };
  t.after(stop);
  return {
    clock,
    secret,
    first,
    lines,
    stop,
    /** Lets this time pass, and waits until the files were read. */
    async pass(ms: number) {
      clock.advance(ms);
      await until('the files were read', () => clock.pending > 0);
    },
    shown: () => certificateAt(port),
  };
}

/** The certificate that a new client gets. */
function certificateAt(port: number): Promise<X509Certificate | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate());
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

const serialOf = ({ cert }: TlsFiles) => new X509Certificate(cert).serialNumber;

test('a certificate that was renewed is used without a restart', async (t) => {
  const scene = await secured(t);
  assert.equal((await scene.shown())?.serialNumber, serialOf(scene.first));
  const renewed = await pair();
  scene.secret.put(renewed);
  await scene.pass(minute);
  assert.equal((await scene.shown())?.serialNumber, serialOf(renewed));
  const file = scene.secret.cert;
  const expires = new X509Certificate(renewed.cert).validToDate.toISOString();
  assert.deepEqual(
    scene.lines.map(({ level, file, expires, msg }) => ({ level, file, expires, msg })),
    [{ level: 30, file, expires, msg: 'the new certificate is in use' }],
  );
  await scene.pass(10 * minute);
  assert.equal(scene.lines.length, 1, 'a certificate that does not change is not reported again');
});

test('a pair that does not fit together, or is missing, is logged once, and the previous one stays in use', async (t) => {
  const scene = await secured(t);
  const next = await pair();
  scene.secret.put({ cert: next.cert, key: scene.first.key });
  for (let polls = 0; polls < 5; polls += 1) await scene.pass(minute);
  assert.equal((await scene.shown())?.serialNumber, serialOf(scene.first));
  const [line, ...more] = scene.lines;
  assert.deepEqual(
    [line?.['level'], line?.['msg'], more],
    [50, 'new certificate rejected, the previous one stays in use', []],
  );
  assert.match(String(line?.['cause']), /^The certificate of --metrics-tls-cert cannot be used: /);
  rmSync(scene.secret.key);
  for (let polls = 0; polls < 5; polls += 1) await scene.pass(minute);
  assert.equal((await scene.shown())?.serialNumber, serialOf(scene.first));
  assert.match(String(scene.lines.at(-1)?.['cause']), /tls\.key/);
  assert.equal(scene.lines.length, 2);
  writeFileSync(scene.secret.key, next.key);
  await scene.pass(minute);
  assert.equal((await scene.shown())?.serialNumber, serialOf(next));
});

test('a pair that is half written when it is read is no error', async (t) => {
  const scene = await secured(t);
  const next = await pair();
  writeFileSync(scene.secret.cert, next.cert);
  await scene.pass(minute);
  writeFileSync(scene.secret.key, next.key);
  await scene.pass(minute);
  assert.equal((await scene.shown())?.serialNumber, serialOf(next));
  assert.deepEqual(
    scene.lines.map(({ level }) => level),
    [30],
  );
});

test('the files are not read after the server was closed', async (t) => {
  const scene = await secured(t);
  assert.equal(scene.clock.pending, 1);
  await scene.stop();
  assert.equal(scene.clock.pending, 0);
});
