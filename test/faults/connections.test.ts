import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../cluster/support/cluster.ts';
import { protocols } from './support/apiServer.ts';
import { assertRecovered } from './support/assertRecovered.ts';
import { isDelete } from './support/faults.ts';
import { type Scenario, startScenario } from './support/scenario.ts';

/** How long the API server is unreachable. Milliseconds. */
const downtime = 10_000;

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
    await scenario.weeder.log.until('stream silent');
    await eventually(() => scenario.server.connections >= connections + 2, { what: 'two tries' });
    await scenario.server.restore();
  },

  // streamRecovery of kube-runtime checks in virtual time that it takes 30 s.
  async 'half-open connections are detected'({ scene, server, weeder }) {
    server.freeze();
    await scene.endpoints(true);
    await weeder.log.until('stream silent');
  },

  async 'streams without data are detected although other requests are answered'({ scene, server, weeder }) {
    server.muteWatches();
    await scene.endpoints(true);
    await weeder.log.until('stream silent');
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
