import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { terminated } from '../cluster/support/cluster.ts';
import { elected } from '../cluster/support/replicas.ts';
import { protocols } from './support/apiServer.ts';
import { assertRecovered } from './support/assertRecovered.ts';
import { atRest, prepareScenario, startScenario } from './support/scenario.ts';

const hour = 3_600_000;

const directions = [
  ['forwards', 1],
  ['backwards', -1],
] as const;

suite('the wall clock of weeder jumps by an hour', { concurrency: 6 }, () => {
  for (const protocol of protocols) {
    for (const [by, sign] of directions) {
      test(`over ${protocol}, ${by} in a window: the window ends on time by the monotonic clock`, async (t) => {
        const length = 30_000;
        const scenario = await startScenario(t, 'clock', protocol, {
          settings: { watchDuration: `${length / 1000}s` },
        });
        const { scene, weeder, remote } = scenario;
        const { service } = scene;
        await scene.endpoints(true);
        await weeder.log.until('service recovered, window opened', { service });
        const opened = performance.now();
        await remote.shift(weeder, sign * hour);
        const silent = await scene.pod('silent', terminated(2));
        await scene.untilDeleted(silent);
        const { time } = await weeder.log.until('pod deleted', { pod: `${scene.ns.name}/silent` });
        assert.ok(Math.abs(Date.parse(time) - Date.now() - sign * hour) < 60_000, `the log line has the time ${time}`);
        await weeder.log.until('window closed', { service });
        const lasted = performance.now() - opened;
        assert.ok(lasted > length - 1_000 && lasted < 2 * length, `the window lasted ${lasted} ms`);
        await assertRecovered(scenario, { deleted: [...scenario.looping, silent] });
        await remote.shift(weeder, 0);
        await scene.laterPodDeleted();
      });
    }
  }

  for (const [by, sign] of directions) {
    test(`${by}, while weeder leads: deletions wait for one renewal at most, and weeder still leads`, async (t) => {
      const prepared = await prepareScenario(t, 'leading', 'h2');
      const { scene, remote } = prepared;
      const weeder = await prepared.started({ flags: elected(scene.ns.name) });
      const scenario = { ...prepared, weeder, before: await atRest({ ...prepared, weeder }) };
      await remote.shift(weeder, sign * hour);
      await scene.endpoints(true);
      await assertRecovered(scenario);
      assert.equal(weeder.log.find('this replica leads').length, 1);
      await remote.shift(weeder, 0);
      await scene.laterPodDeleted();
    });
  }
});
