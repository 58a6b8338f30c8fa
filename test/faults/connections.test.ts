import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../cluster/support/cluster.ts';
import { afterwards } from './support/afterwards.ts';
import { protocols } from './support/apiServer.ts';
import { isDelete } from './support/faults.ts';
import { type Play, setPlay } from './support/play.ts';

/** How long the API server is unreachable. */
const downtime = 10_000;

/** By weeder's own log: milliseconds from now until it has found a stream silent. */
async function untilSilent({ weeder }: Play, since: number): Promise<number> {
  const { time } = await weeder.log.until('stream silent', {}, { within: 45_000 });
  return Date.parse(time) - since;
}

const faults: Readonly<Record<string, (play: Play, t: TestContext) => Promise<void>>> = {
  async 'all connections are cut at the moment of the recovery'({ scene, server }) {
    await scene.endpoints(true);
    server.cutConnections();
  },

  async 'the API server is unreachable for 10 s, and the service recovers meanwhile'({ scene, server }) {
    server.goAway();
    await pause(downtime / 2);
    await scene.endpoints(true);
    await pause(downtime / 2);
    await server.comeBack();
  },

  async 'the API server becomes unreachable for 10 s while the first deletion is in flight'({ scene, server }) {
    const stopped = Promise.withResolvers<void>();
    const stop = server.failAll(() => {
      server.goAway();
      stopped.resolve();
    }, isDelete);
    await scene.endpoints(true);
    await stopped.promise;
    stop();
    await pause(downtime);
    await server.comeBack();
  },

  async 'the API server accepts connections and never answers, until after two time-outs of a connection'(play) {
    play.server.goSilent();
    await play.scene.endpoints(true);
    const connections = play.server.connections;
    await play.weeder.log.until('stream silent', {}, { within: 45_000 });
    await eventually(() => play.server.connections >= connections + 2, { what: 'two tries' });
    await play.server.comeBack();
  },

  // A busy machine may be late: within 30 s, to the millisecond, it is in virtual time (test/kube/streamRecovery).
  async 'half-open connections are found within 30 s'(play) {
    play.server.freeze();
    const since = Date.now();
    await play.scene.endpoints(true);
    assert.ok((await untilSilent(play, since)) < 36_000);
  },

  async 'streams that bring nothing while other requests are answered are found within 30 s'(play) {
    play.server.muteWatches();
    const since = Date.now();
    await play.scene.endpoints(true);
    assert.ok((await untilSilent(play, since)) < 36_000);
  },
};

suite('connections', { concurrency: 10 }, () => {
  for (const protocol of protocols) {
    for (const [what, fault] of Object.entries(faults)) {
      test(`over ${protocol}, ${what}`, async (t) => {
        // An Event in flight would find a dead connection first, by its own time-out.
        const play = await setPlay(t, 'connections', protocol, { flags: ['--events=false'] });
        await fault(play, t);
        await afterwards(play);
      });
    }
  }
});
