import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { eventually } from '../cluster/support/cluster.ts';
import { freePorts } from '../cluster/support/plane/ports.ts';
import { afterwards } from './support/afterwards.ts';
import { protocols } from './support/apiServer.ts';
import { get } from './support/measure.ts';
import { atRest, setPlay, setStage } from './support/play.ts';

/** A place for a file that is full after a few kilobytes: a file system of its own, or, without root, a device. */
function fullDisk(t: TestContext): { readonly file: string; readonly isDisk: boolean } {
  if (process.getuid?.() !== 0) return { file: '/dev/full', isDisk: false };
  const folder = mkdtempSync(join(tmpdir(), 'weeder-full-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', folder]);
  t.after(() => {
    // weeder, which ends later, still has the file open.
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true });
  });
  return { file: join(folder, 'weeder.jsonl'), isDisk: true };
}

suite('the machine', { concurrency: 5 }, () => {
  for (const protocol of protocols) {
    test(`over ${protocol}, the disk is full while weeder records: the recording ends, and nothing else`, async (t) => {
      const { file, isDisk } = fullDisk(t);
      const play = await setPlay(t, 'full', protocol, { flags: [`--record=${file}`] });
      const hasStopped = async () =>
        /^weeder_recording_failures_total 1$/m.test((await get(play.pages.metrics, '/metrics')).text);
      let fillers = 0;
      await eventually(
        async () => {
          fillers += 1;
          await play.scene.pod(`filler-${fillers}`, undefined, { labels: play.scene.otherLabels });
          return hasStopped();
        },
        { what: 'a recording that had to stop' },
      );
      await play.scene.endpoints(true);
      await afterwards(play);
      // The file has whole lines: it can be replayed.
      if (isDisk) {
        const lines = readFileSync(file, 'utf8').split('\n');
        assert.equal(lines.pop(), '');
        for (const line of lines) JSON.parse(line);
      }
    });
  }

  for (const { flag, page } of [
    { flag: '--metrics-bind-addr', page: 'metrics' },
    { flag: '--health-bind-addr', page: 'health' },
    { flag: '--ui-bind-addr', page: undefined },
  ] as const) {
    test(`the port of ${flag} is in use: weeder reports it and exits, and runs once it is free`, async (t) => {
      const stage = await setStage(t, 'port', 'h2');
      const [free = 0] = await freePorts(1);
      const port = page === undefined ? free : stage.pages[page];
      const taken = createServer().listen(port, '127.0.0.1');
      await once(taken, 'listening');
      t.after(() => taken.close());
      const flags = [`${flag}=127.0.0.1:${port}`];
      const refused = stage.start({ flags, expects: { exit: true, stderr: /./ } });
      assert.deepEqual(await refused.exited, { code: 1, signal: null });
      const sentence = `weeder: Cannot listen on 127.0.0.1:${port} (${flag}): another process listens there already.`;
      assert.ok(refused.stderr().startsWith(sentence), refused.stderr());
      assert.deepEqual(refused.log.find(/synced/), []);
      taken.close();
      await once(taken, 'close');

      const weeder = await stage.started({ flags });
      const play = { ...stage, weeder, before: await atRest({ ...stage, weeder }) };
      await play.scene.endpoints(true);
      await afterwards(play);
    });
  }
});
