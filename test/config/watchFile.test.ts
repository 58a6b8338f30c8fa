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
import { suite, type TestContext, test } from 'node:test';
import { systemClock } from '@weeder/kube-runtime/base';
import { until } from '@weeder/kube-runtime/testing';
import { formatFieldErrors } from '../../src/base/fieldError.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { parseInWorker } from '../../src/config/parseInWorker.ts';
import { readConfigText } from '../../src/config/read.ts';
import { watchConfigFile } from '../../src/config/watchFile.ts';

const config = (service: string) =>
  `servicesAndDependantSelectors: {${service}: {podSelectors: [{matchLabels: {role: apiserver}}]}}\n`;

/** A config file in its own folder, and the reported contents: names of services, or errors. */
async function watched(t: TestContext, prepare: (folder: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-watch-'));
  prepare(folder);
  const file = join(folder, 'weeder.yaml');
  const reported: string[] = [];
  const watch = watchConfigFile({
    file,
    clock: systemClock,
    known: await readConfigText(file),
    onChange: (read) =>
      reported.push(
        read.ok ? [...read.value.services.keys()].join() : formatFieldErrors(read.error).replace(folder, ''),
      ),
    onUnwatchable: (why) => reported.push(`unwatchable: ${why}`),
  });
  t.after(() => {
    watch.stop();
    rmSync(folder, { recursive: true });
  });
  return { folder, file, reported, watch };
}

const plain = (folder: string) => writeFileSync(join(folder, 'weeder.yaml'), config('a'));

/** Writes like the kubelet's atomic writer: a new folder, a link to it next to the old one, and a rename over it. */
function mount(folder: string, version: string, service: string): void {
  mkdirSync(join(folder, version));
  writeFileSync(join(folder, version, 'weeder.yaml'), config(service));
  symlinkSync(version, join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
}

suite('the watch of the config file', { concurrency: true }, () => {
  test('each swap of the link of a mounted ConfigMap is reported, unless the content is the same', async (t) => {
    const { folder, reported } = await watched(t, (dir) => {
      mount(dir, '..2026_1', 'a');
      symlinkSync(join('..data', 'weeder.yaml'), join(dir, 'weeder.yaml'));
    });
    mount(folder, '..2026_2', 'b');
    rmSync(join(folder, '..2026_1'), { recursive: true });
    await until('the new content is reported', () => reported.length === 1);
    mount(folder, '..2026_3', 'b');
    mount(folder, '..2026_4', 'c');
    await until('the next content is reported', () => reported.length === 2);
    assert.deepEqual(reported, ['b', 'c']);
  });

  test('a plain file is reported when it is edited or replaced, and not when it is touched', async (t) => {
    const { folder, file, reported } = await watched(t, plain);
    writeFileSync(file, config('b'));
    await until('the edit is reported', () => reported.length === 1);
    utimesSync(file, new Date(), new Date());
    writeFileSync(join(folder, 'other.yaml'), config('other'));
    writeFileSync(join(folder, 'new.yaml'), config('c'));
    renameSync(join(folder, 'new.yaml'), file);
    await until('the replacement is reported', () => reported.length === 2);
    assert.deepEqual(reported, ['b', 'c']);
  });

  test('a deleted file is reported once as unreadable, and so is its return, even with the previous content', async (t) => {
    const { file, reported } = await watched(t, plain);
    unlinkSync(file);
    await until('the loss is reported', () => reported.length === 1);
    writeFileSync(file, config('a'));
    await until('the return is reported', () => reported.length === 2);
    assert.deepEqual(reported, ['/weeder.yaml: there is no such file', 'a']);
  });

  test('a file with errors, and one over 1 MiB, are reported with all errors', async (t) => {
    const { file, reported } = await watched(t, plain);
    writeFileSync(file, 'watchDuration: 5\nservicesAndDependantSelectors: {a: {podSelectors: []}}\n');
    await until('the errors are reported', () => reported.length === 1);
    writeFileSync(file, `# ${'x'.repeat(1024 * 1024)}\n${config('a')}`);
    await until('the size is reported', () => reported.length === 2);
    assert.match(reported[0] ?? '', /^\/weeder\.yaml:1:16 watchDuration: .*\n.*weeder\.yaml:2:51 /);
    assert.equal(reported[1], '/weeder.yaml: is larger than 1024 KiB, which no config needs');
  });

  test('a file that becomes a directory is reported as unreadable', async (t) => {
    const { file, reported } = await watched(t, plain);
    unlinkSync(file);
    mkdirSync(file);
    await until('it is reported', () => reported.length === 1);
    assert.deepEqual(reported, ['/weeder.yaml: is a directory; give the path of the config file in it']);
  });

  test('readNow() reads immediately; an unwatchable folder is reported, and the file is polled', async (t) => {
    const { folder, file, reported, watch } = await watched(t, plain);
    writeFileSync(file, config('b'));
    assert.equal(await watch.readNow(), true);
    assert.deepEqual(reported, ['b']);
    const later = join(folder, 'later');
    const unwatchable: string[] = [];
    const polled = watchConfigFile({
      file: join(later, 'weeder.yaml'),
      clock: systemClock,
      known: await readConfigText(join(later, 'weeder.yaml')),
      onChange: (read) => reported.push(read.ok ? [...read.value.services.keys()].join() : 'errors'),
      onUnwatchable: (why) => unwatchable.push(why),
    });
    t.after(() => polled.stop());
    assert.match(unwatchable.join(), /ENOENT/);
    mkdirSync(later);
    writeFileSync(join(later, 'weeder.yaml'), config('c'));
    assert.equal(await polled.readNow(), true);
    assert.deepEqual(reported, ['b', 'c']);
  });

  /** A text that takes the parser some tenths of a second. */
  const slow = `[${','.repeat(50_000)}`;

  test('a long text is parsed in a worker, with the same result', async () => {
    const long = `# ${'-'.repeat(20_000)}\n${config('a')}`;
    assert.deepEqual(await parseInWorker(long, 'f'), parseConfig(long, 'f', { hasLines: true }));
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 1);
    const parsed = await parseInWorker(slow, 'f');
    clearInterval(counting);
    assert.ok(!parsed.ok && parsed.error.length > 0);
    assert.ok(turns > 50, `the event loop went on ${turns} times`);
  });

  test('a text that is replaced while it is parsed is not reported', async (t) => {
    const { file, reported, watch } = await watched(t, plain);
    writeFileSync(file, slow);
    await watch.readNow();
    writeFileSync(file, config('b'));
    await until('the newest content is reported', () => reported.includes('b'));
    // The second parse takes as long as the first, and began later.
    await parseInWorker(slow, 'f');
    assert.deepEqual(reported, ['b']);
  });
});
