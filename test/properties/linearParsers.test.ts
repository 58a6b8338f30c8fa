import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesIn } from '../../src/base/http.ts';
import { describeFailure } from '../../src/kube/client/describeFailure.ts';
import { classify } from '../../src/kube/client/failure.ts';
import { isDenied, refuserOf } from '../../src/kube/client/refuser.ts';
import { lineSplitter } from '../../src/kube/watch/lines.ts';
import { peekMetadata } from '../../src/kube/watch/peek.ts';
import { partsOf } from '../../src/metrics/countRequests.ts';
import { toOpenMetrics } from '../../src/metrics/metricsPage.ts';
import { paceKey } from '../../src/observer/drift/driftPace.ts';
import { applyFailure } from '../../src/observer/model/applyFailure.ts';
import { optOutFault, readAlsoDependsOn, usedFromFault } from '../../src/restart/model/annotations.ts';
import { readEmptied } from '../../src/restart/model/emptied.ts';
import { readKept } from '../../src/restart/requests/keptJob.ts';
import { decodeState } from '../../src/restart/state/state.ts';
import { isOwnName } from '../../src/ui/pageListener.ts';

const identity = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const asked = { verb: 'patch', identity, plural: 'deployments' } as const;

/** Everything that reads a text which somebody else has chosen, and which may be long. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  'Accept of the metrics': (text) => namesIn(text, 'application/openmetrics-text'),
  'Accept-Encoding': (text) => namesIn(text, 'gzip'),
  'Host of the page': (text) => isOwnName(text),
  'a path of the API': (text) => partsOf(text),
  'the text of the metrics': (text) => toOpenMetrics(text),
  'an answer that is an error': (text) => classify(500, {}, text, 0),
  'the header Retry-After': (text) => classify(429, { 'retry-after': text }, '', 0),
  'the message of a refusal': (text) => describeFailure({ kind: 'forbidden', status: 403, message: text }, 'server'),
  'who refuses': (text) => [
    isDenied({ kind: 'forbidden', message: text }),
    refuserOf({ kind: 'forbidden', message: text }),
  ],
  'the message of a refused apply': (text) =>
    applyFailure(
      { kind: 'invalid', status: 422, message: `failed to create typed patch object ${text}` },
      asked,
      'server',
    ),
  'a cause of a refused apply': (text) =>
    applyFailure(
      { kind: 'invalid', message: 'no', causes: [{ reason: '', field: text, message: text }] },
      asked,
      'server',
    ),
  'lines of a stream': (text) => lineSplitter(1 << 24).push(Buffer.from(text), () => true),
  'the beginning of a line': (text) => peekMetadata(Buffer.from(text)),
  'the path of a drift': (text) => paceKey({ path: text, is: 'excess' }),
  'also-depends-on': (text) => readAlsoDependsOn(text, 'shop'),
  'used-from': (text) => usedFromFault(text),
  'skip-hash-calculation': (text) => optOutFault({ 'weeder.dev/skip-hash-calculation': text }),
  'the state of a workload': (text) => decodeState(text),
  emptied: (text) => readEmptied(text, 'uid', true),
  'a copy of a Job': (text) =>
    readKept({
      metadata: {
        namespace: 'a',
        name: 'weeder-recreates-a',
        uid: 'u',
        resourceVersion: '1',
        annotations: { 'weeder.dev/recreates': text },
      },
    }),
};

const pieces = [
  '\t',
  ' ',
  ' \t',
  'a',
  '.',
  '.a',
  '-',
  '/',
  '[',
  ']',
  '["',
  '"',
  '\\',
  '[a="b"]',
  ':',
  ': ',
  ', ',
  ';',
  ' ;',
  ',',
  'q=0',
  '0',
  '\n',
  ' \n',
  '{',
  '["a",',
  '<',
  'cannot ',
  'cannot a resource "',
  'User "',
  'is forbidden: ',
  'expected a',
  '9',
  'back-off 1m',
  'Invalid value: ',
  '{"type":"ADDED","object":{',
];
/** What a parser knows at the beginning, so that it goes on. */
const beginnings = [
  '',
  'gzip',
  'a',
  '.a',
  '"',
  '[',
  'User "a" cannot ',
  '{"version":1,"seal":"a","state":',
  'back-off ',
];

function timeOf(run: () => unknown): number {
  const began = performance.now();
  run();
  return performance.now() - began;
}

const [short, long] = [2_000, 32_000];
/** Sixteen times the text takes sixteen times as long where it is linear, and 256 times where it is quadratic. */
const most = 80;
/** What is quicker than this is not told apart from the clock. Milliseconds. */
const floor = 0.25;

for (const [what, parse] of Object.entries(parsers)) {
  test(`${what}: the time that it takes grows as its length does`, () => {
    for (const piece of pieces)
      for (const beginning of beginnings) {
        const textOf = (length: number) => `${beginning}${piece.repeat(length / piece.length)}!`;
        const ratio = () =>
          timeOf(() => parse(textOf(long))) /
          Math.max(
            floor,
            timeOf(() => parse(textOf(short))),
          );
        // A pause of the machine is no property of a parser: the best of some.
        const isLinear = Array.from({ length: 5 }).some(() => ratio() < most);
        assert(isLinear, `${JSON.stringify(beginning)} and many ${JSON.stringify(piece)}`);
      }
  });
}

test('a parser that is quadratic is found out', () => {
  const text = (length: number) => `gzip${'\t'.repeat(length)}!`;
  const parse = (each: string) => each.split(/\s*;\s*/);
  const ratios = Array.from({ length: 5 }, () => {
    const before = timeOf(() => parse(text(short)));
    return timeOf(() => parse(text(long))) / Math.max(floor, before);
  });
  // A pause of the machine while the short text is read makes one of them small.
  const [, , middle = 0] = ratios.toSorted((one, other) => one - other);
  assert(middle > most, String(ratios));
});
