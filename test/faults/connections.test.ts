import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../cluster/support/cluster.ts';
import { protocols } from './support/apiServer.ts';
import { assertRecovered } from './support/assertRecovered.ts';
import { isDelete } from './support/faults.ts';
import { type Scenario, startScenario } from './support/scenario.ts';

/** How long the API server is unreachable. Milliseconds. */
const downtime = 10_000;

/** Returns the time from `since` until weeder logs that a stream is silent. Milliseconds. */
async function untilSilent({ weeder }: Scenario, since: number): Promise<number> {
  const { time } = await weeder.log.until('stream silent', {}, { within: 45_000 });
  return Date.parse(time) - since;
}

const faults: Readonly<Record<string, (scenario: Scenario, t: TestContext) => Promise<void>>> = {
  async 'all connections are closed when the service recovers'({ scene, server }) {
    await scene.endpoints(true);
    server.cutConnections();
  },

  async 'the API server is unreachable for 10 s, and the service recovers meanwhile'({ scene, server }) {
    server.stopListening();
    await pause(downtime / 2);
    await scene.endpoints(true);
    await pause(downtime / 2);
    await server.restore();
  },

  async 'the API server becomes unreachable for 10 s while the first deletion is in flight'({ scene, server }) {
    const stopped = Promise.withResolvers<void>();
    const stop = server.failAll(() => {
      server.stopListening();
      stopped.resolve();
    }, isDelete);
    await scene.endpoints(true);
    await stopped.promise;
    stop();
    await pause(downtime);
    await server.restore();
  },

  async 'the API server accepts connections and does not answer until two connections have timed out'(scenario) {
    scenario.server.freezeAll();
    await scenario.scene.endpoints(true);
    const connections = scenario.server.connections;
    await scenario.weeder.log.until('stream silent', {}, { within: 45_000 });
    await eventually(() => scenario.server.connections >= connections + 2, { what: 'two tries' });
    await scenario.server.restore();
  },

  // The limit leaves time for a busy machine. test/kube/watch/streamRecovery checks the 30 s in virtual time.
  async 'half-open connections are detected within 30 s'(scenario) {
    scenario.server.freeze();
    const since = Date.now();
    await scenario.scene.endpoints(true);
    assert.ok((await untilSilent(scenario, since)) < 36_000);
  },

  async 'streams without data are detected within 30 s although other requests are answered'(scenario) {
    scenario.server.muteWatches();
    const since = Date.now();
    await scenario.scene.endpoints(true);
    assert.ok((await untilSilent(scenario, since)) < 36_000);
  },
};

suite('faults of connections', { concurrency: 10 }, () => {
  for (const protocol of protocols) {
    for (const [what, fault] of Object.entries(faults)) {
      test(`over ${protocol}, ${what}`, async (t) => {
        // Without Events, because the time-out of an Event in flight would detect a dead connection first.
        const scenario = await startScenario(t, 'connections', protocol, { flags: ['--events=false'] });
        await fault(scenario, t);
        await assertRecovered(scenario);
      });
    }
  }
});
