import { suite, test } from 'node:test';
import { eventually } from '../cluster/support/cluster.ts';
import { type Fault, isResumedWatch, isWatch } from '../support/api/faultyServer.ts';
import { afterwards } from './support/afterwards.ts';
import { protocols } from './support/apiServer.ts';
import { beginningWith, cuttingALine, expiredInBand, refusing } from './support/faults.ts';
import { type Play, setPlay } from './support/play.ts';

/** Each stream gets this fault so many times when it is resumed, and the service recovers meanwhile. */
async function meet({ server, scene, before }: Play, fault: Fault, times: number): Promise<void> {
  let met = 0;
  for (let each = 0; each < times * before.watches; each += 1) {
    server.failNext((...given) => {
      met += 1;
      fault(...given);
    }, isWatch);
  }
  server.cutConnections();
  await scene.endpoints(true);
  await eventually(() => met === times * before.watches, { what: 'each stream has met it' });
}

const long = Buffer.alloc(50_000_000, 'x');
long.write('{"type":"ADDED","object":"');
long.write('"}\n', long.length - 3);

const faults: Readonly<Record<string, (play: Play) => Promise<void>>> = {
  '410 by status': (play) => meet(play, refusing(410, 'Expired'), 1),
  '410 in band': (play) => meet(play, expiredInBand, 1),
  'lines of garbage': (play) => meet(play, beginningWith(Buffer.from([0x7b, 0xff, 0x0a, 0x00, 0x0a])), 3),
  'half an event': (play) => meet(play, beginningWith('{"type":"MODIFIED","object":{"kind":"Pod"\n'), 3),
  'a line of 50 MB': (play) => meet(play, beginningWith(long), 3),
  async 'lines cut in their middle, and the connection with them'(play) {
    const stop = play.server.failAll(cuttingALine, isResumedWatch);
    play.server.cutConnections();
    await play.scene.endpoints(true);
    await play.weeder.log.until('stream lost', {}, { count: 4 });
    stop();
  },
};

suite('streams', { concurrency: 6 }, () => {
  for (const protocol of protocols) {
    for (const [what, fault] of Object.entries(faults)) {
      test(`over ${protocol}, ${what}`, async (t) => {
        const play = await setPlay(t, 'streams', protocol);
        await fault(play);
        await afterwards(play);
      });
    }
  }
});
