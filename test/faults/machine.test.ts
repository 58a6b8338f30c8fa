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
import { protocols } from './support/apiServer.ts';
import { assertRecovered } from './support/assertRecovered.ts';
import { get } from './support/measure.ts';
import { atRest, prepareScenario, startScenario } from './support/scenario.ts';

/** Returns a file that can hold a few kilobytes: on a small file system, or, without root, a device that is full. */
function fullDisk(t: TestContext): { readonly file: string; readonly isDisk: boolean } {
  if (process.getuid?.() !== 0) return { file: '/dev/full', isDisk: false };
  const folder = mkdtempSync(join(tmpdir(), 'weeder-full-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', folder]);
  t.after(() => {
    // The unmount is lazy, because weeder ends later and still has the file open.
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true });
  });
  return { file: join(folder, 'weeder.jsonl'), isDisk: true };
}

suite('faults of the machine', { concurrency: 5 }, () => {
  for (const protocol of protocols) {
    test(`over ${protocol}, the disk is full while weeder records: the recording ends, and weeder continues`, async (t) => {
      const { file, isDisk } = fullDisk(t);
      const scenario = await startScenario(t, 'full', protocol, { flags: [`--record=${file}`] });
      const hasStopped = async () =>
        /^weeder_recording_failures_total 1$/m.test((await get(scenario.ports.metrics, '/metrics')).text);
      let fillers = 0;
      await eventually(
        async () => {
          fillers += 1;
          await scenario.scene.pod(`filler-${fillers}`, undefined, { labels: scenario.scene.otherLabels });
          return hasStopped();
        },
        { what: 'the end of the recording' },
      );
      await scenario.scene.endpoints(true);
      await assertRecovered(scenario);
      // A recording can only be replayed if its last line is complete.
      if (isDisk) {
        const lines = readFileSync(file, 'utf8').split('\n');
        assert.equal(lines.pop(), '');
        for (const line of lines) JSON.parse(line);
      }
    });
  }

  for (const { flag, telemetry } of [
    { flag: '--metrics-bind-addr', telemetry: 'metrics' },
    { flag: '--health-bind-addr', telemetry: 'health' },
    { flag: '--ui-bind-addr', telemetry: undefined },
  ] as const) {
    test(`the port of ${flag} is in use: weeder reports it and exits, and runs once it is free`, async (t) => {
      const prepared = await prepareScenario(t, 'port', 'h2');
      const [free = 0] = await freePorts(1);
      const port = telemetry === undefined ? free : prepared.ports[telemetry];
      const taken = createServer().listen(port, '127.0.0.1');
      await once(taken, 'listening');
      t.after(() => taken.close());
      const flags = [`${flag}=127.0.0.1:${port}`];
      const refused = prepared.start({ flags, expects: { exit: true, stderr: /./ } });
      assert.deepEqual(await refused.exited, { code: 1, signal: null });
      const sentence = `weeder: Cannot listen on 127.0.0.1:${port} (${flag}): another process listens there already.`;
      assert.ok(refused.stderr().startsWith(sentence), refused.stderr());
      assert.deepEqual(refused.log.find(/synced/), []);
      taken.close();
      await once(taken, 'close');

      const weeder = await prepared.started({ flags });
      const scenario = { ...prepared, weeder, before: await atRest({ ...prepared, weeder }) };
      await scenario.scene.endpoints(true);
      await assertRecovered(scenario);
    });
  }
});
