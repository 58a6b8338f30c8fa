import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { formatFieldErrors } from '../../src/base/fieldError.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { parseInWorker } from '../../src/config/parseInWorker.ts';
import { readConfigText } from '../../src/config/read.ts';
import { watchConfigFile } from '../../src/config/watchFile.ts';
import { until } from '../support/until.ts';

const config = (service: string) =>
  `servicesAndDependantSelectors: {${service}: {podSelectors: [{matchLabels: {role: apiserver}}]}}\n`;

/** A config file in a folder of its own, and what is told of it: names of services, or faults. */
async function watched(t: TestContext, prepare: (folder: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-watch-'));
  prepare(folder);
  const file = join(folder, 'weeder.yaml');
  const told: string[] = [];
  const watch = watchConfigFile({
    file,
    clock: systemClock,
    known: await readConfigText(file),
    onNews: (read) =>
      told.push(read.ok ? [...read.value.services.keys()].join() : formatFieldErrors(read.error).replace(folder, '')),
    onUnwatchable: (why) => told.push(`unwatchable: ${why}`),
  });
  t.after(() => {
    watch.stop();
    rmSync(folder, { recursive: true });
  });
  return { folder, file, told, watch };
}

const plain = (folder: string) => writeFileSync(join(folder, 'weeder.yaml'), config('a'));

/** What the kubelet's atomic writer does: a new folder, a link to it beside the old one, and a rename over it. */
function mount(folder: string, version: string, service: string): void {
  mkdirSync(join(folder, version));
  writeFileSync(join(folder, version, 'weeder.yaml'), config(service));
  symlinkSync(version, join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
}

test('a mounted ConfigMap: each swap of the link is told, and the same content in a new folder is not', async (t) => {
  const { folder, told } = await watched(t, (dir) => {
    mount(dir, '..2026_1', 'a');
    symlinkSync(join('..data', 'weeder.yaml'), join(dir, 'weeder.yaml'));
  });
  mount(folder, '..2026_2', 'b');
  rmSync(join(folder, '..2026_1'), { recursive: true });
  await until('the new content is told', () => told.length === 1);
  mount(folder, '..2026_3', 'b');
  mount(folder, '..2026_4', 'c');
  await until('the next one is told', () => told.length === 2);
  assert.deepEqual(told, ['b', 'c']);
});

test('a plain file that is edited in place, replaced by a rename, and touched', async (t) => {
  const { folder, file, told } = await watched(t, plain);
  writeFileSync(file, config('b'));
  await until('the edit is told', () => told.length === 1);
  utimesSync(file, new Date(), new Date());
  writeFileSync(join(folder, 'other.yaml'), config('other'));
  writeFileSync(join(folder, 'new.yaml'), config('c'));
  renameSync(join(folder, 'new.yaml'), file);
  await until('the replacement is told', () => told.length === 2);
  assert.deepEqual(told, ['b', 'c']);
});

test('a file that is deleted is told once as unreadable, and its return, even with the content of before, too', async (t) => {
  const { file, told } = await watched(t, plain);
  unlinkSync(file);
  await until('the loss is told', () => told.length === 1);
  writeFileSync(file, config('a'));
  await until('the return is told', () => told.length === 2);
  assert.deepEqual(told, ['/weeder.yaml: there is no such file', 'a']);
});

test('a file with faults, and one over 1 MiB, are told with all that is wrong', async (t) => {
  const { file, told } = await watched(t, plain);
  writeFileSync(file, 'watchDuration: 5\nservicesAndDependantSelectors: {a: {podSelectors: []}}\n');
  await until('the faults are told', () => told.length === 1);
  writeFileSync(file, `# ${'x'.repeat(1024 * 1024)}\n${config('a')}`);
  await until('the size is told', () => told.length === 2);
  assert.match(told[0] ?? '', /^\/weeder\.yaml:1:16 watchDuration: .*\n.*weeder\.yaml:2:51 /);
  assert.equal(told[1], '/weeder.yaml: is larger than 1024 KiB, which no config needs');
});

test('a file that becomes a directory cannot be read, and that is told', async (t) => {
  const { file, told } = await watched(t, plain);
  unlinkSync(file);
  mkdirSync(file);
  await until('it is told', () => told.length === 1);
  assert.deepEqual(told, ['/weeder.yaml: is a directory; give the path of the config file in it']);
});

test('asked to, it looks at once; a folder that cannot be watched is said, and the file is looked at all the same', async (t) => {
  const { folder, file, told, watch } = await watched(t, plain);
  writeFileSync(file, config('b'));
  assert.equal(await watch.lookNow(), true);
  assert.deepEqual(told, ['b']);
  const later = join(folder, 'later');
  const unwatchable: string[] = [];
  const polled = watchConfigFile({
    file: join(later, 'weeder.yaml'),
    clock: systemClock,
    known: await readConfigText(join(later, 'weeder.yaml')),
    onNews: (read) => told.push(read.ok ? [...read.value.services.keys()].join() : 'faults'),
    onUnwatchable: (why) => unwatchable.push(why),
  });
  t.after(() => polled.stop());
  assert.match(unwatchable.join(), /ENOENT/);
  mkdirSync(later);
  writeFileSync(join(later, 'weeder.yaml'), config('c'));
  assert.equal(await polled.lookNow(), true);
  assert.deepEqual(told, ['b', 'c']);
});

/** A text that keeps the parser busy for some tenths of a second. */
const slow = `[${','.repeat(150_000)}`;

test('a long text is read in a thread of its own, and gives the same', async () => {
  const long = `# ${'-'.repeat(20_000)}\n${config('a')}`;
  assert.deepEqual(await parseInWorker(long, 'f'), parseConfig(long, 'f'));
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 1);
  const parsed = await parseInWorker(slow, 'f');
  clearInterval(counting);
  assert.ok(!parsed.ok && parsed.error.length > 0);
  assert.ok(turns > 50, `the event loop went on ${turns} times`);
});

test('a text that is replaced while it is read is told no more', async (t) => {
  const { file, told, watch } = await watched(t, plain);
  writeFileSync(file, slow);
  await watch.lookNow();
  writeFileSync(file, config('b'));
  await until('the newest is told', () => told.includes('b'));
  // The same again takes as long as the first one, and began later.
  await parseInWorker(slow, 'f');
  assert.deepEqual(told, ['b']);
});
