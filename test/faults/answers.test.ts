import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually } from '../cluster/support/cluster.ts';
import { answerWith, type Fault, isWatch, type ReceivedRequest } from '../support/api/faultyServer.ts';
import { afterwards } from './support/afterwards.ts';
import { protocols } from './support/apiServer.ts';
import { byteBySecond, isDelete, losingAnswers, refusing, slowHeaders } from './support/faults.ts';
import { type Play, setPlay } from './support/play.ts';

const retried = 'deletion refused, retrying';
const everything = () => true;

const refusals: Readonly<Record<string, Fault>> = {
  500: refusing(500, 'InternalError'),
  503: refusing(503, 'ServiceUnavailable'),
  401: refusing(401, 'Unauthorized'),
  403: refusing(403, 'Forbidden'),
  '502 with 50 MB': answerWith(502, 'x'.repeat(50_000_000), { 'content-type': 'text/plain' }),
};

/** Counts the requests that get this fault. */
function counted(fault: Fault) {
  const met: ReceivedRequest[] = [];
  const counting: Fault = (answer, request, proceed) => {
    met.push(request);
    fault(answer, request, proceed);
  };
  return { met, fault: counting };
}

/** Each deletion of a recovery gets it twice; then every request does, until each stream has met it twice, too. */
async function refuseDeletionsThenAll({ scene, server, weeder, before }: Play, fault: Fault): Promise<void> {
  const stopDeletions = server.failAll(fault, isDelete);
  await scene.endpoints(true);
  await weeder.log.until(retried, {}, { count: 6 });
  const all = counted(fault);
  const stopAll = server.failAll(all.fault, everything);
  stopDeletions();
  server.cutConnections();
  const watches = () => all.met.filter(isWatch).length;
  await eventually(() => watches() >= 2 * before.watches, { what: 'each stream has met it twice' });
  stopAll();
}

suite('answers', { concurrency: 12 }, () => {
  for (const protocol of protocols) {
    for (const [what, fault] of Object.entries(refusals)) {
      test(`over ${protocol}, ${what} on deletions, and then on everything`, async (t) => {
        const play = await setPlay(t, 'refused', protocol);
        await refuseDeletionsThenAll(play, fault);
        await afterwards(play);
      });
    }

    test(`over ${protocol}, 429 with Retry-After is obeyed`, async (t) => {
      const play = await setPlay(t, 'throttled', protocol);
      const { scene, server, before } = play;
      const asked = 3_000;
      const all = counted(refusing(429, 'TooManyRequests', { 'retry-after': String(asked / 1000) }));
      for (const _ of play.looping) server.failNext(all.fault, isDelete);
      for (let each = 0; each < before.watches; each += 1) server.failNext(all.fault, isWatch);
      await scene.endpoints(true);
      await play.weeder.log.until(retried, {}, { count: play.looping.length });
      server.cutConnections();
      await afterwards(play);
      for (const refused of all.met) {
        const again = server.requests.find(
          (each) => each.at > refused.at && each.path === refused.path && same(each, refused),
        );
        assert.ok(again !== undefined && again.at - refused.at >= asked, `${refused.method} ${refused.path}`);
      }
    });

    test(`over ${protocol}, answers are lost after the API server has acted: no pod is deleted twice`, async (t) => {
      const play = await setPlay(t, 'lost', protocol);
      const lost = counted(losingAnswers);
      for (const _ of play.looping) play.server.failNext(lost.fault, isDelete);
      await play.scene.endpoints(true);
      await afterwards(play);
      assert.equal(lost.met.length, play.looping.length);
    });

    test(`over ${protocol}, headers arrive after 12 s`, async (t) => {
      const play = await setPlay(t, 'slow', protocol);
      const stop = play.server.failAll(slowHeaders(12_000), everything);
      play.server.cutConnections();
      await play.scene.endpoints(true);
      await play.weeder.log.until(retried);
      stop();
      await afterwards(play);
    });

    test(`over ${protocol}, everything arrives a byte a second`, async (t) => {
      const play = await setPlay(t, 'trickle', protocol);
      await play.scene.endpoints(true);
      const stop = play.server.failAll(byteBySecond, everything);
      await eventually(() => play.server.requests.some(isDelete), { what: 'deletions' });
      play.server.cutConnections();
      await play.weeder.log.until(/^stream (lost|silent)$/);
      stop();
      await afterwards(play);
    });

    test(`over ${protocol}, accepted deletions are answered a byte a second: others continue meanwhile`, async (t) => {
      const play = await setPlay(t, 'trickling', protocol, { flags: ['--concurrent-deletions=1'] });
      for (const _ of play.looping) play.server.failNext(byteBySecond, isDelete);
      await play.scene.endpoints(true);
      await afterwards(play);
    });

    test(`over ${protocol}, refusals of watches arrive a byte a second`, async (t) => {
      const play = await setPlay(t, 'dripping', protocol);
      const refusal = refusing(503, 'ServiceUnavailable');
      const dripping: Fault = (answer, request) =>
        byteBySecond(answer, request, (to = answer) => refusal(to, request, () => undefined));
      for (let each = 0; each < play.before.watches; each += 1) play.server.failNext(dripping, isWatch);
      play.server.cutConnections();
      await play.scene.endpoints(true);
      // Three times the 15 s that the headers of a watch may take.
      await afterwards(play);
    });
  }
});

function same(a: ReceivedRequest, b: ReceivedRequest): boolean {
  return a.method === b.method && a.query.get('labelSelector') === b.query.get('labelSelector');
}
