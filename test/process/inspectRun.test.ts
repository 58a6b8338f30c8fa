import assert from 'node:assert/strict';
import { cpSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createInspectorSocket } from '../../src/actors/socket.ts';
import { freePort } from '../support/api/freePort.ts';
import { bundle } from '../support/bundle.ts';
import { cli, config, folder, logOf, oneSentence, startCli } from '../support/cli.ts';
import { heldBytes } from '../support/heldBytes.ts';
import { hungInspector } from '../support/page/hungInspector.ts';
import { inspectorPage } from '../support/page/inspectorPage.ts';
import { until } from '../support/until.ts';
import { embedded } from '../support/world/embedded.ts';
import { virtualClock } from '../support/world/virtualClock.ts';

const quiet = ['--config-file', config, '--health-bind-addr=0', '--metrics-bind-addr=0'];
/** As in a checkout, where the inspector is installed. */
const program = fileURLToPath(new URL('../../src/cli/weeder.ts', import.meta.url));
const weeding = 'caches synced, starting controller';

test('weeder run --inspect shows its actors', async (t) => {
  await using page = await inspectorPage();
  await using cluster = await embedded();
  const weeder = startCli([...quiet, `--kubeconfig=${cluster.kubeconfig}`, `--inspect=${page.url}`], { program });
  t.after(() => weeder.child.kill('SIGKILL'));
  const names = () => page.told.flatMap((each) => (each.type === '@xstate.actor' ? each.name : []));
  await until('its actors are told', () => names().includes('pods app=web'));
  assert.ok(names().includes('manager'));
  weeder.child.kill('SIGTERM');
  const { code, stderr } = await weeder.ended;
  assert.deepEqual([code, stderr], [0, '']);
});

test('where no inspector listens weeder says so once, weeds, and ends when it is told to', async (t) => {
  await using cluster = await embedded();
  const url = `ws://127.0.0.1:${await freePort()}`;
  const weeder = startCli([...quiet, `--kubeconfig=${cluster.kubeconfig}`, '--inspect', url], { program });
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('weeder runs', () => weeder.stdout().includes(weeding) && weeder.stdout().includes(url));
  weeder.child.kill('SIGTERM');
  const ended = await weeder.ended;
  assert.deepEqual([ended.code, ended.stderr], [0, '']);
  assert.deepEqual(
    logOf(ended).flatMap(({ level, url, msg }) => (url === undefined ? [] : [[level, url, msg]])),
    [['warn', url, 'no inspector at this address, retrying']],
  );
});

test('an inspector that hangs is told no more than it may make wait', async () => {
  await using inspector = await hungInspector();
  const told: string[] = [];
  const socket = createInspectorSocket({
    url: inspector.url,
    clock: virtualClock(),
    onOpen: () => told.push('open'),
    onClose: () => told.push('close'),
    onSlow: () => told.push('slow'),
  });
  socket.start();
  await until('it is connected', () => told.includes('open'));
  const before = heldBytes();
  const message = { type: 'x', padding: 'x'.repeat(2 ** 20) };
  for (let count = 0; count < 500; count += 1) socket.send(message);
  assert.deepEqual(told, ['open', 'slow']);
  assert.ok(heldBytes() - before < 200 * 2 ** 20, 'half a gigabyte was kept');
  socket.stop();
});

test('an inspector that hangs keeps weeder neither from weeding nor from ending', async (t) => {
  await using cluster = await embedded();
  await using inspector = await hungInspector();
  const words = [...quiet, `--kubeconfig=${cluster.kubeconfig}`, '--inspect', inspector.url];
  const weeder = startCli(words, { program });
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('weeder runs', () => weeder.stdout().includes(weeding) && weeder.stdout().includes('is connected'));
  weeder.child.kill('SIGTERM');
  const ended = await weeder.ended;
  assert.deepEqual([ended.code, ended.stderr], [0, '']);
  assert.equal(logOf(ended).at(-1)?.['msg'], 'weeder stopped');
});

test('the bundle holds nothing of the inspector; there, --inspect says in a sentence what it needs', async () => {
  const alone = join(folder, 'uninspected', 'weeder.js');
  cpSync(dirname(await bundle()), dirname(alone), { recursive: true });
  const texts = globSync('**/*.js', { cwd: dirname(alone) }).map((name) =>
    readFileSync(join(dirname(alone), name), 'utf8'),
  );
  const imports = texts.filter((text) => /import\(["'`]@statelyai\/inspect["'`]\)/.test(text));
  assert.equal(imports.length, 1);
  for (const text of texts) assert.equal(/partykit|createSkyInspector|stately\.ai\/inspect/.exec(text), null);
  const sentence = oneSentence(await cli([...quiet, '--inspect'], { program: alone }), 2);
  assert.equal(
    sentence,
    '--inspect needs the package @statelyai/inspect, which is not installed here. It is a development dependency: run weeder from a checkout, after npm ci.',
  );
});

test('an address that is none is refused in a sentence', async () => {
  for (const wrong of ['nonsense', 'http://localhost:8080', '8080', 'check']) {
    const sentence = oneSentence(await cli(['run', '--inspect', wrong]), 2);
    assert.match(sentence, new RegExp(`found "${wrong}", wanted an address such as ws://localhost:8080`));
  }
});
