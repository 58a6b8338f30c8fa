import assert from 'node:assert/strict';
import { cpSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until, virtualClock } from '@weeder/kube-runtime/testing';
import { createInspectorSocket } from '../../src/actors/socket.ts';
import { freePort } from '../support/api/freePort.ts';
import { bundle } from '../support/bundle.ts';
import { cli, config, folder, logOf, oneSentence, startCli } from '../support/cli.ts';
import { hungInspector } from '../support/page/hungInspector.ts';
import { inspectorPage } from '../support/page/inspectorPage.ts';
import { retainedBytes } from '../support/retainedBytes.ts';
import { embedded } from '../support/world/embedded.ts';

const baseFlags = ['--config-file', config, '--health-bind-addr=0', '--metrics-bind-addr=0'];
/** As in a checkout, where the inspector is installed. */
const program = fileURLToPath(new URL('../../src/cli/weeder.ts', import.meta.url));
const running = 'caches synced, starting controller';

suite('weeder run --inspect', { concurrency: true }, () => {
  test('weeder run --inspect shows its actors', async (t) => {
    await using page = await inspectorPage();
    await using cluster = await embedded();
    const weeder = startCli([...baseFlags, `--kubeconfig=${cluster.kubeconfig}`, `--inspect=${page.url}`], { program });
    t.after(() => weeder.child.kill('SIGKILL'));
    const names = () => page.received.flatMap((each) => (each.type === '@xstate.actor' ? each.name : []));
    await until('the actors are shown', () => names().includes('pods app=web'));
    assert.ok(names().includes('manager'));
    weeder.child.kill('SIGTERM');
    const { code, stderr } = await weeder.ended;
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('without an inspector at the address weeder warns once, runs, and stops on SIGTERM', async (t) => {
    await using cluster = await embedded();
    const url = `ws://127.0.0.1:${await freePort()}`;
    const weeder = startCli([...baseFlags, `--kubeconfig=${cluster.kubeconfig}`, '--inspect', url], { program });
    t.after(() => weeder.child.kill('SIGKILL'));
    await until('weeder runs', () => weeder.stdout().includes(running) && weeder.stdout().includes(url));
    weeder.child.kill('SIGTERM');
    const ended = await weeder.ended;
    assert.deepEqual([ended.code, ended.stderr], [0, '']);
    assert.deepEqual(
      logOf(ended).flatMap(({ level, url, msg }) => (url === undefined ? [] : [[level, url, msg]])),
      [['warn', url, 'no inspector at this address, retrying']],
    );
  });

  test('the queue for an inspector that hangs is bounded', async () => {
    await using inspector = await hungInspector();
    const calls: string[] = [];
    const socket = createInspectorSocket({
      url: inspector.url,
      clock: virtualClock(),
      onOpen: () => calls.push('open'),
      onClose: () => calls.push('close'),
      onSlow: () => calls.push('slow'),
    });
    socket.start();
    await until('it is connected', () => calls.includes('open'));
    const before = retainedBytes();
    const message = { type: 'x', padding: 'x'.repeat(2 ** 20) };
    for (let count = 0; count < 500; count += 1) socket.send(message);
    assert.deepEqual(calls, ['open', 'slow']);
    assert.ok(retainedBytes() - before < 200 * 2 ** 20, 'half a gigabyte is buffered');
    socket.stop();
  });

  test('an inspector that hangs does not stop weeder from running or from stopping', async (t) => {
    await using cluster = await embedded();
    await using inspector = await hungInspector();
    const args = [...baseFlags, `--kubeconfig=${cluster.kubeconfig}`, '--inspect', inspector.url];
    const weeder = startCli(args, { program });
    t.after(() => weeder.child.kill('SIGKILL'));
    await until('weeder runs', () => weeder.stdout().includes(running) && weeder.stdout().includes('is connected'));
    weeder.child.kill('SIGTERM');
    const ended = await weeder.ended;
    assert.deepEqual([ended.code, ended.stderr], [0, '']);
    const [stopped, last] = logOf(ended).slice(-2);
    assert.equal(stopped?.['msg'], 'weeder stopped');
    assert.deepEqual(
      [last?.['msg'], last?.['left']],
      ['the process is kept alive by what is left, and is ended', ['TCPSocketWrap']],
    );
  });

  test('the bundle does not contain the inspector; there, --inspect states in one sentence what it needs', async () => {
    const alone = join(folder, 'uninspected', 'weeder.js');
    cpSync(dirname(await bundle()), dirname(alone), { recursive: true });
    const texts = globSync('**/*.js', { cwd: dirname(alone) }).map((name) =>
      readFileSync(join(dirname(alone), name), 'utf8'),
    );
    const imports = texts.filter((text) => /import\(["'`]@statelyai\/inspect["'`]\)/.test(text));
    assert.equal(imports.length, 1);
    for (const text of texts) assert.equal(/partykit|createSkyInspector|stately\.ai\/inspect/.exec(text), null);
    const sentence = oneSentence(await cli([...baseFlags, '--inspect'], { program: alone }), 2);
    assert.equal(
      sentence,
      '--inspect needs the package @statelyai/inspect, which is not installed here. It is an optional dependency: run weeder from a checkout, after npm ci.',
    );
  });

  test('an invalid address is refused in one sentence', async () => {
    for (const wrong of ['nonsense', 'http://localhost:8080', '8080', 'check']) {
      const sentence = oneSentence(await cli(['run', '--inspect', wrong]), 2);
      assert.match(sentence, /: expected an address such as ws:\/\/localhost:8080/);
    }
  });
});
