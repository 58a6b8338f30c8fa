import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../cluster/support/cluster.ts';
import { afterwards } from './support/afterwards.ts';
import { protocols } from './support/apiServer.ts';
import { isDelete, refusing } from './support/faults.ts';
import { atRest, type Stage, setPlay, setStage } from './support/play.ts';

suite('the process', { concurrency: 6 }, () => {
  for (const protocol of protocols) {
    test(`over ${protocol}, killed in a window with deletions in flight: the next process completes them`, async (t) => {
      const stage = await setStage(t, 'killed', protocol);
      const { scene, server } = stage;
      const first = await stage.started();
      const before = await atRest({ ...stage, weeder: first });
      let blocked = 0;
      // One is accepted, two never arrive.
      server.failNext((_answer, _request, proceed) => proceed(), isDelete);
      const stop = server.failAll(() => {
        blocked += 1;
      }, isDelete);
      await scene.endpoints(true);
      await first.log.until('pod deleted');
      await eventually(() => blocked === stage.looping.length - 1, { what: 'deletions on their way' });
      await first.kill();
      stop();
      const weeder = await stage.started();
      await afterwards({ ...stage, weeder, before });
    });

    test(`over ${protocol}, suspended for longer than every time-out, over a recovery`, async (t) => {
      const play = await setPlay(t, 'stopped', protocol);
      play.weeder.signal('SIGSTOP');
      await pause(5_000);
      await play.scene.endpoints(true);
      await pause(40_000);
      play.weeder.signal('SIGCONT');
      await afterwards(play);
    });

    // A real API server that is started after weeder: test/cluster/disruptionApiServer.
    for (const { what, fail } of [
      {
        what: 'before the API server listens',
        fail: ({ server }: Stage) => {
          server.goAway();
          return () => server.comeBack();
        },
      },
      {
        what: 'while it answers 503 to everything',
        fail: ({ server }: Stage) => server.failAll(refusing(503, 'ServiceUnavailable')),
      },
    ]) {
      test(`over ${protocol}, started ${what}`, async (t) => {
        const stage = await setStage(t, 'early', protocol);
        const recover = fail(stage);
        const weeder = stage.start();
        await weeder.log.until('waiting for the API server');
        await recover();
        await weeder.ready();
        const play = { ...stage, weeder, before: await atRest({ ...stage, weeder }) };
        await play.scene.endpoints(true);
        await afterwards(play);
      });
    }
  }
});
