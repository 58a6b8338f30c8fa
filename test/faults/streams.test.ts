import { suite, test } from 'node:test';
import { type Fault, isResumedWatch, isWatch } from '@weeder/kube-runtime/testing';
import { eventually } from '../cluster/support/cluster.ts';
import { protocols } from './support/apiServer.ts';
import { assertRecovered } from './support/assertRecovered.ts';
import { cutLine, expiredInBand, refuseWith, watchStartingWith } from './support/faults.ts';
import { type Scenario, startScenario } from './support/scenario.ts';

/** Closes the connections, injects the fault into the next `times` watches of each stream, and recovers the service. */
async function resumeWith({ server, scene, before }: Scenario, fault: Fault, times: number): Promise<void> {
  let count = 0;
  for (let watch = 0; watch < times * before.watches; watch += 1) {
    server.failNext((...given) => {
      count += 1;
      fault(...given);
    }, isWatch);
  }
  server.cutConnections();
  await scene.endpoints(true);
  await eventually(() => count === times * before.watches, { what: 'the faults of each stream' });
}

const long = Buffer.alloc(50_000_000, 'x');
long.write('{"type":"ADDED","object":"');
long.write('"}\n', long.length - 3);

const faults: Readonly<Record<string, (scenario: Scenario) => Promise<void>>> = {
  'watches are refused with 410': (scenario) => resumeWith(scenario, refuseWith(410, 'Expired'), 1),
  'watches send an event with 410': (scenario) => resumeWith(scenario, expiredInBand, 1),
  'watches send invalid bytes': (scenario) =>
    resumeWith(scenario, watchStartingWith(Buffer.from([0x7b, 0xff, 0x0a, 0x00, 0x0a])), 3),
  'watches send half an event': (scenario) =>
    resumeWith(scenario, watchStartingWith('{"type":"MODIFIED","object":{"kind":"Pod"\n'), 3),
  'watches send a line of 50 MB': (scenario) => resumeWith(scenario, watchStartingWith(long), 3),
  async 'connections are closed in the middle of a line'(scenario) {
    const stop = scenario.server.failAll(cutLine, isResumedWatch);
    scenario.server.cutConnections();
    await scenario.scene.endpoints(true);
    await scenario.weeder.log.until('stream lost', {}, { count: 4 });
    stop();
  },
};

suite('faults of streams', { concurrency: 6 }, () => {
  for (const protocol of protocols) {
    for (const [what, fault] of Object.entries(faults)) {
      test(`over ${protocol}, ${what}`, async (t) => {
        const scenario = await startScenario(t, 'streams', protocol);
        await fault(scenario);
        await assertRecovered(scenario);
      });
    }
  }
});
