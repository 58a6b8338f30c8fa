import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify, describeFailure, isDenied, refuserOf } from '@weeder/kube-runtime/client';
import { lineSplitter, readLineMetadata } from '@weeder/kube-runtime/watch';
import { namesIn } from '../../src/base/http.ts';
import { partsOf } from '../../src/metrics/countRequests.ts';
import { toOpenMetrics } from '../../src/metrics/metricsPage.ts';
import { correctionKey } from '../../src/observer/drift/correctionKey.ts';
import { applyFailure } from '../../src/observer/objects/applyFailure.ts';
import { decodeState } from '../../src/restart/content/state.ts';
import {
  allowReferencesError,
  allowReferencesFrom,
  optOutError,
  readAlsoDependsOn,
} from '../../src/restart/references/annotations.ts';
import { readEmptied } from '../../src/restart/references/emptied.ts';
import { readJobCopy } from '../../src/restart/requests/jobCopy.ts';
import { isOwnName } from '../../src/ui/serve.ts';

const identity = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const request = { verb: 'patch', identity, plural: 'deployments' } as const;

/** Every parser of texts that others choose, and that may be long. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  'Accept of the metrics': (text) => namesIn(text, 'application/openmetrics-text'),
  'Accept-Encoding': (text) => namesIn(text, 'gzip'),
  'Host of the page': (text) => isOwnName(text),
  'a path of the API': (text) => partsOf(text),
  'the text of the metrics': (text) => toOpenMetrics(text),
  'an answer that is an error': (text) => classify(500, {}, text, 0),
  'the header Retry-After': (text) => classify(429, { 'retry-after': text }, '', 0),
  'the message of a refusal': (text) => describeFailure({ type: 'forbidden', status: 403, message: text }, 'server'),
  'who refuses': (text) => [
    isDenied({ type: 'forbidden', message: text }),
    refuserOf({ type: 'forbidden', message: text }),
  ],
  'the message of a refused apply': (text) =>
    applyFailure(
      { type: 'invalid', status: 422, message: `failed to create typed patch object ${text}` },
      request,
      'server',
    ),
  'a cause of a refused apply': (text) =>
    applyFailure(
      { type: 'invalid', message: 'no', causes: [{ reason: '', field: text, message: text }] },
      request,
      'server',
    ),
  'lines of a stream': (text) => lineSplitter(1 << 24).push(Buffer.from(text), () => true),
  'the beginning of a line': (text) => readLineMetadata(Buffer.from(text)),
  'the path of a drift': (text) => correctionKey({ path: text, type: 'excess' }),
  'also-depends-on': (text) => readAlsoDependsOn(text, 'shop'),
  'allow-references-from': (text) => allowReferencesError({ [allowReferencesFrom]: text }),
  'skip-hash-calculation': (text) => optOutError({ 'weeder.dev/skip-hash-calculation': text }),
  'the state of a workload': (text) => decodeState(text),
  emptied: (text) => readEmptied(text, 'uid', true),
  'a copy of a Job': (text) =>
    readJobCopy({
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
/** What a parser knows at the beginning, so that it continues. */
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

/** The CPU time of this thread during the call, in milliseconds, without other work of the machine. */
function cpuOf(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const after = process.threadCpuUsage();
  return (after.user - before.user + after.system - before.system) / 1000;
}

const [short, long] = [2_000, 32_000];
/** Shorter times for the long text count as linear, because the CPU clock is coarse. Milliseconds. */
const negligible = 20;

/**
 * The time for one long text, divided by that for short texts of the same total length: about 1 if the parser is
 * linear, and 16 if it is quadratic.
 */
function growth(parse: (text: string) => unknown, textOf: (length: number) => string): number {
  const longText = textOf(long);
  const taken = cpuOf(() => parse(longText));
  if (taken < negligible) return 1;
  const shortText = textOf(short);
  const inShort = cpuOf(() => {
    for (let done = 0; done < long; done += short) parse(shortText);
  });
  return taken / Math.max(1, inShort);
}

/** The highest accepted growth, between 1 and 16. */
const max = 5;

for (const [what, parse] of Object.entries(parsers)) {
  test(`${what}: its time grows linearly with the length`, () => {
    for (const piece of pieces)
      for (const beginning of beginnings) {
        const textOf = (length: number) => `${beginning}${piece.repeat(length / piece.length)}!`;
        // The first calls also compile the parser.
        const isLinear = Array.from({ length: 5 }).some(() => growth(parse, textOf) < max);
        assert(isLinear, `${JSON.stringify(beginning)} and many ${JSON.stringify(piece)}`);
      }
  });
}

test('a quadratic parser is detected', () => {
  // A third takes long enough to count.
  const text = (length: number) => `gzip${'\t'.repeat(length / 3)}!`;
  const parse = (each: string) => each.split(/\s*;\s*/);
  const factor = growth(parse, text);
  assert(factor > max, String(factor));
});
