import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { file, oneSentence, sharedCli } from '../support/cli.ts';

/**
 * What `kubectl get pods -A -o json --watch --output-watch-events` (1.32, against 1.36) and the same for
 * endpointslices printed of an outage: one line an event, with managed fields, and with no ts.
 */
const pods = join(import.meta.dirname, '../data/kubectl/pods.jsonl');
const slices = join(import.meta.dirname, '../data/kubectl/endpointslices.jsonl');
const config = file(
  'etcd.yaml',
  'watchDuration: 2m\nservicesAndDependantSelectors:\n  etcd-main-client:\n    podSelectors: [{matchLabels: {role: apiserver}}]\n',
);

const expected = `    +0.000s  11:19:40.000  service is ready  shoot-1/etcd-main-client
    +5.000s  11:19:45.000  service is down   shoot-1/etcd-main-client
   +15.000s  11:19:55.000  window opened     shoot-1/etcd-main-client #1  2m0s
   +15.000s  11:19:55.000  pod deleted       shoot-1/etcd-main-client #1  shoot-1/kapi-0  delete, CrashLoopBackOff, restarts 3
   +15.000s  11:19:55.000  pod deleted       shoot-1/etcd-main-client #1  shoot-1/kapi-1  delete, in unreported back-off, restarts 3
  +135.000s  11:21:55.000  window closed     shoot-1/etcd-main-client #1  2 deleted, 0 skipped, 0 failed

pod             would be deleted  after recovery  back-off         saved
shoot-1/kapi-0  11:19:55.000      +0.000s         40s              6.000s
shoot-1/kapi-1  11:19:55.000      +0.000s         40s, unreported  at least 33.000s
2 pods, at least 39.000s of back-off saved
`;

/** What is printed of these files; the run must succeed. */
async function replayed(...files: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await sharedCli(['replay', '--config-file', config, ...files]);
  assert.equal(stderr, '');
  assert.equal(code, 0);
  return stdout;
}

const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n');
const stored = (name: string, lines: readonly string[]) => file(name, `${lines.join('\n')}\n`);

test('the output of kubectl is replayed as it is, whatever the order of the files', async () => {
  assert.equal(await replayed(pods, slices), expected);
  assert.equal(await replayed(slices, pods), expected);
});

test('what one kind of watch events lacks is named', async () => {
  const without = (what: string, kind: string) =>
    new RegExp(`\\n\\nnot known from watch events:\\n  ${what} are unknown: add a file with the events of ${kind}\\n$`);
  assert.match(await replayed(pods), without('services', 'endpointslices'));
  assert.match(await replayed(slices), without('pods', 'pods'));
});

test('a bookmark, and the ERROR with which the API server ends a watch, are skipped', async () => {
  // Both as kubectl printed them.
  const bookmark =
    '{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":null,"resourceVersion":"900"}}}';
  const error =
    '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 217 (900)","reason":"Expired","code":410}}';
  const [first = '', ...rest] = linesOf(pods);
  assert.equal(await replayed(stored('marked.jsonl', [first, bookmark, ...rest, error]), slices), expected);
});

test('a line that was cut when kubectl was killed is left out, with a note', async () => {
  const whole = readFileSync(pods, 'utf8').trimEnd();
  const stdout = await replayed(file('killed.jsonl', whole.slice(0, -100)), slices);
  assert.equal(stdout.split('\n\nleft out: ')[0], expected.trimEnd());
  assert.match(
    stdout,
    /\n\nleft out: .*killed\.jsonl:11: the file was cut in the middle of its last line; without that/,
  );
});

test('a byte order mark is accepted', async () => {
  const marked = file('marked-bom.jsonl', `\uFEFF${readFileSync(pods, 'utf8')}`);
  assert.equal(await replayed(marked, slices), expected);
});

test('a pod that was created after the list is not part of it: the recovery before it opens its window', async () => {
  const [list = '', ...changes] = linesOf(slices);
  const pod = linesOf(pods)[0] ?? '';
  const late = pod.replaceAll('11:19:40Z', '11:20:30Z').replace('"resourceVersion":"210"', '"resourceVersion":"900"');
  // Until then only ADDED was printed of the pods.
  const added = [...linesOf(pods).slice(0, 3), late.replaceAll('etcd-main-0', 'zapi-0')];
  const stdout = await replayed(stored('late-pods.jsonl', added), stored('late-slices.jsonl', [list, ...changes]));
  assert.match(stdout, /\+15\.000s {2}11:19:55\.000 {2}window opened/);
});

test('changes of the same second are taken in the order of their writes', async () => {
  const [list = '', down = '', up = ''] = linesOf(slices);
  const [crashing = '', running = ''] = linesOf(pods).filter((line) => /"resourceVersion":"(223|230)"/.test(line));
  const sameSecond = (line: string) => line.replaceAll(/11:(19:5[0-9]|20:0\d)Z/g, '11:20:10Z');
  const replayWritten = async (version: number) => {
    const ran = sameSecond(running).replace('"resourceVersion":"230"', `"resourceVersion":"${version}"`);
    const ofPods = stored('second-pods.jsonl', [...linesOf(pods).slice(0, 3), crashing, ran]);
    const ofSlices = stored('second-slices.jsonl', [list, down, sameSecond(up)]);
    const both = await Promise.all([replayed(ofPods, ofSlices), replayed(ofSlices, ofPods)]);
    assert.equal(both[0], both[1]);
    return both[0];
  };
  // The recovery has version 228: the pod runs before it, or only after it.
  assert.match(await replayWritten(227), /weeder would have deleted no pod\n$/);
  assert.match(await replayWritten(229), /\+30\.000s .*pod deleted .*shoot-1\/kapi-0/);
});

test('a file that is not output of --output-watch-events is reported with the expected format', async () => {
  const cases: readonly (readonly [string | Uint8Array, RegExp])[] = [
    ['{\n    "apiVersion": "v1",\n', /:1: found JSON over several lines; kubectl get … --watch needs --output-watch/],
    ['{"apiVersion":"v1","kind":"List","items":[]}\n', /:1: found List in place of a watch event; kubectl get … needs/],
    ['EVENT   NAMESPACE   NAME\n', /:1: found a table of kubectl; expected the output of kubectl get … -o json\./],
    ['object:\n  apiVersion: v1\n', /:1: found YAML; expected the output of kubectl get … -o json\./],
    [
      `${linesOf(pods)[0]}\nerror: unexpected EOF\n`,
      /:2: found a message of kubectl in place of an event; only its st/,
    ],
    ['Unable to connect to the server: EOF\n', /:1: found a message of kubectl in place of an event/],
    ['{}\n', /:1: found neither a line of a recording nor a watch event/],
    ['{"t":1,"in":"start"}\n', /:1: found a line of a recording without the header, which is its first line\./],
    [new Uint8Array([0x1f, 0x8b, 8, 0]), /^\.\/bad\.jsonl is compressed; unpack it first, as with gunzip\./],
    [Buffer.from('\uFEFF{"type":1}\n', 'utf16le'), /^\.\/bad\.jsonl is written in UTF-16, as PowerShell does it; /],
    [Buffer.from('{"type":1}\n', 'utf16le'), /^\.\/bad\.jsonl is written in UTF-16, as PowerShell does it; /],
  ];
  for (const [text, sentence] of cases) {
    assert.match(
      oneSentence(await sharedCli(['replay', '--config-file', config, file('bad.jsonl', text)]), 1),
      sentence,
    );
  }
});
