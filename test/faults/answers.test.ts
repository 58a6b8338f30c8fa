import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { answerWith, type Fault, isWatch, type ReceivedRequest } from '@weeder/kube-runtime/testing';
import { eventually } from '../cluster/support/cluster.ts';
import { protocols } from './support/apiServer.ts';
import { assertRecovered } from './support/assertRecovered.ts';
import { isDelete, loseResponse, oneBytePerSecond, refuseWith, slowHeaders } from './support/faults.ts';
import { type Scenario, startScenario } from './support/scenario.ts';

const retried = 'deletion refused, retrying';
const everything = () => true;

const refusals: Readonly<Record<string, Fault>> = {
  500: refuseWith(500, 'InternalError'),
  503: refuseWith(503, 'ServiceUnavailable'),
  401: refuseWith(401, 'Unauthorized'),
  403: refuseWith(403, 'Forbidden'),
  '502 with 50 MB': answerWith(502, 'x'.repeat(50_000_000), { 'content-type': 'text/plain' }),
};

/** Records the requests to which the fault applies. */
function recorded(fault: Fault) {
  const requests: ReceivedRequest[] = [];
  const recording: Fault = (answer, request, proceed) => {
    requests.push(request);
    fault(answer, request, proceed);
  };
  return { requests, fault: recording };
}

/** Applies the fault twice to each deletion, and then to every request, until it has hit each stream twice. */
async function refuseDeletionsThenAll({ scene, server, weeder, before }: Scenario, fault: Fault): Promise<void> {
  const stopDeletions = server.failAll(fault, isDelete);
  await scene.endpoints(true);
  await weeder.log.until(retried, {}, { count: 6 });
  const recordedFault = recorded(fault);
  const stopAll = server.failAll(recordedFault.fault, everything);
  stopDeletions();
  server.cutConnections();
  const watches = () => recordedFault.requests.filter(isWatch).length;
  await eventually(() => watches() >= 2 * before.watches, { what: 'two faults of each stream' });
  stopAll();
}

suite('faults of answers', { concurrency: 12 }, () => {
  for (const protocol of protocols) {
    for (const [what, fault] of Object.entries(refusals)) {
      test(`over ${protocol}, the API server answers ${what} to deletions, and then to every request`, async (t) => {
        const scenario = await startScenario(t, 'refused', protocol);
        await refuseDeletionsThenAll(scenario, fault);
        await assertRecovered(scenario);
      });
    }

    test(`over ${protocol}, weeder waits for the Retry-After of a 429`, async (t) => {
      const scenario = await startScenario(t, 'throttled', protocol);
      const { scene, server, before } = scenario;
      const retryAfter = 3_000;
      const recordedFault = recorded(refuseWith(429, 'TooManyRequests', { 'retry-after': String(retryAfter / 1000) }));
      for (const _ of scenario.looping) server.failNext(recordedFault.fault, isDelete);
      for (let watch = 0; watch < before.watches; watch += 1) server.failNext(recordedFault.fault, isWatch);
      await scene.endpoints(true);
      await scenario.weeder.log.until(retried, {}, { count: scenario.looping.length });
      server.cutConnections();
      await assertRecovered(scenario);
      for (const refused of recordedFault.requests) {
        const again = server.requests.find(
          (each) => each.at > refused.at && each.path === refused.path && same(each, refused),
        );
        assert.ok(again !== undefined && again.at - refused.at >= retryAfter, `${refused.method} ${refused.path}`);
      }
    });

    test(`over ${protocol}, answers to deletions are lost: no pod is deleted twice`, async (t) => {
      const scenario = await startScenario(t, 'lost', protocol);
      const lost = recorded(loseResponse);
      for (const _ of scenario.looping) scenario.server.failNext(lost.fault, isDelete);
      await scenario.scene.endpoints(true);
      await assertRecovered(scenario);
      assert.equal(lost.requests.length, scenario.looping.length);
    });

    test(`over ${protocol}, the headers of each answer arrive after 12 s`, async (t) => {
      const scenario = await startScenario(t, 'slow', protocol);
      const stop = scenario.server.failAll(slowHeaders(12_000), everything);
      scenario.server.cutConnections();
      await scenario.scene.endpoints(true);
      await scenario.weeder.log.until(retried);
      stop();
      await assertRecovered(scenario);
    });

    test(`over ${protocol}, each answer arrives at one byte per second`, async (t) => {
      const scenario = await startScenario(t, 'trickle', protocol);
      await scenario.scene.endpoints(true);
      const stop = scenario.server.failAll(oneBytePerSecond, everything);
      await eventually(() => scenario.server.requests.some(isDelete), { what: 'a DELETE' });
      scenario.server.cutConnections();
      await scenario.weeder.log.until(/^stream (lost|silent)$/);
      stop();
      await assertRecovered(scenario);
    });

    test(`over ${protocol}, answers to accepted deletions arrive at one byte per second: other deletions continue`, async (t) => {
      const scenario = await startScenario(t, 'trickling', protocol, { flags: ['--concurrent-deletions=1'] });
      for (const _ of scenario.looping) scenario.server.failNext(oneBytePerSecond, isDelete);
      await scenario.scene.endpoints(true);
      await assertRecovered(scenario);
    });

    test(`over ${protocol}, refusals of watches arrive at one byte per second`, async (t) => {
      const scenario = await startScenario(t, 'dripping', protocol);
      const refusal = refuseWith(503, 'ServiceUnavailable');
      const dripping: Fault = (answer, request) =>
        oneBytePerSecond(answer, request, (to = answer) => refusal(to, request, () => undefined));
      for (let watch = 0; watch < scenario.before.watches; watch += 1) scenario.server.failNext(dripping, isWatch);
      scenario.server.cutConnections();
      await scenario.scene.endpoints(true);
      // The test takes three times the 15 s after which weeder stops waiting for the headers of a watch.
      await assertRecovered(scenario);
    });
  }
});

function same(a: ReceivedRequest, b: ReceivedRequest): boolean {
  return a.method === b.method && a.query.get('labelSelector') === b.query.get('labelSelector');
}
