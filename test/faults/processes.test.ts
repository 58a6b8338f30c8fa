import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../cluster/support/cluster.ts';
import { protocols } from './support/apiServer.ts';
import { assertRecovered } from './support/assertRecovered.ts';
import { isDelete, refuseWith } from './support/faults.ts';
import { atRest, type PreparedScenario, prepareScenario, startScenario } from './support/scenario.ts';

suite('faults of the process', { concurrency: 6 }, () => {
  for (const protocol of protocols) {
    test(`over ${protocol}, weeder is killed with deletions in flight: the next process completes them`, async (t) => {
      const prepared = await prepareScenario(t, 'killed', protocol);
      const { scene, server } = prepared;
      const first = await prepared.started();
      const before = await atRest({ ...prepared, weeder: first });
      let blocked = 0;
      // The API server receives one of the three deletions.
      server.failNext((_answer, _request, proceed) => proceed(), isDelete);
      const stop = server.failAll(() => {
        blocked += 1;
      }, isDelete);
      await scene.endpoints(true);
      await first.log.until('pod deleted');
      await eventually(() => blocked === prepared.looping.length - 1, { what: 'deletions in flight' });
      await first.kill();
      stop();
      const weeder = await prepared.started();
      await assertRecovered({ ...prepared, weeder, before });
    });

    test(`over ${protocol}, weeder is suspended during a recovery, for longer than every time-out`, async (t) => {
      const scenario = await startScenario(t, 'stopped', protocol);
      scenario.weeder.signal('SIGSTOP');
      await pause(5_000);
      await scenario.scene.endpoints(true);
      await pause(40_000);
      scenario.weeder.signal('SIGCONT');
      await assertRecovered(scenario);
    });

    // In test/cluster/disruption/disruptionApiServer a real API server starts after weeder.
    for (const { what, fail } of [
      {
        what: 'before the API server listens',
        fail: ({ server }: PreparedScenario) => {
          server.stopListening();
          return () => server.restore();
        },
      },
      {
        what: 'while it answers 503 to everything',
        fail: ({ server }: PreparedScenario) => server.failAll(refuseWith(503, 'ServiceUnavailable')),
      },
    ]) {
      test(`over ${protocol}, weeder starts ${what}`, async (t) => {
        const prepared = await prepareScenario(t, 'early', protocol);
        const recover = fail(prepared);
        const weeder = prepared.start();
        await weeder.log.until('waiting for the API server');
        await recover();
        await weeder.ready();
        const scenario = { ...prepared, weeder, before: await atRest({ ...prepared, weeder }) };
        await scenario.scene.endpoints(true);
        await assertRecovered(scenario);
      });
    }
  }
});
