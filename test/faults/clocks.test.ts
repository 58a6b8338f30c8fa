import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { terminated } from '../cluster/support/cluster.ts';
import { afterwards } from './support/afterwards.ts';
import { protocols } from './support/apiServer.ts';
import { atRest, setPlay, setStage } from './support/play.ts';

const hour = 3_600_000;

const directions = [
  ['forwards', 1],
  ['backwards', -1],
] as const;

suite('the wall clock of weeder jumps by an hour', { concurrency: 6 }, () => {
  for (const protocol of protocols) {
    for (const [by, sign] of directions) {
      test(`over ${protocol}, ${by} in a window: it stays open, and ends on time by the monotonic clock`, async (t) => {
        const length = 9_000;
        const play = await setPlay(t, 'clock', protocol, { settings: { watchDuration: `${length / 1000}s` } });
        const { scene, weeder, hand } = play;
        const { service } = scene;
        await scene.endpoints(true);
        await weeder.log.until('service recovered, window opened', { service });
        const opened = performance.now();
        await hand.shift(weeder, sign * hour);
        const silent = await scene.pod('silent', terminated(2));
        await scene.untilDeleted(silent);
        const { time } = await weeder.log.until('pod deleted', { pod: `${scene.ns.name}/silent` });
        assert.ok(Math.abs(Date.parse(time) - Date.now() - sign * hour) < 60_000, `its clock says ${time}`);
        await weeder.log.until('window closed', { service });
        const lasted = performance.now() - opened;
        assert.ok(lasted > length - 1_000 && lasted < length + 4_000, `the window lasted ${lasted} ms`);
        await afterwards(play, { deleted: [...play.looping, silent] });
        await hand.shift(weeder, 0);
        await scene.laterPodDeleted();
      });
    }
  }

  for (const [by, sign] of directions) {
    test(`${by}, while it leads: its deletions wait for one renewal at most, and it continues to lead`, async (t) => {
      const stage = await setStage(t, 'leading', 'h2');
      const { scene, hand } = stage;
      const flags = ['--enable-leader-election', `--leader-election-namespace=${scene.ns.name}`];
      const weeder = await stage.started({ flags });
      const play = { ...stage, weeder, before: await atRest({ ...stage, weeder }) };
      await hand.shift(weeder, sign * hour);
      await scene.endpoints(true);
      await afterwards(play);
      assert.equal(weeder.log.find('this replica leads').length, 1);
      await hand.shift(weeder, 0);
      await scene.laterPodDeleted();
    });
  }
});
