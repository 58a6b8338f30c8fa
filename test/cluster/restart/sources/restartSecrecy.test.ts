import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { eventually } from '../../support/cluster.ts';
import { freePorts } from '../../support/plane/ports.ts';
import { setRestartScene } from '../../support/restart/restartScene.ts';
import { temporaryFile } from '../../support/weeder.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const applied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Returns the forms of a text in a file or an answer: plain, and base64 as in a Secret. */
function holds(text: string, value: string): boolean {
  // The base64 of a text contains that of a part only if the part begins at a multiple of three.
  return text.includes(value) || text.includes(base64(value).replace(/=+$/, '').slice(0, -1));
}

async function textOf(port: number, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  assert.equal(answer.status, 200, path);
  return answer.text();
}

suite('the content of a Secret', { concurrency: true }, () => {
  test('the content of a Secret is in no write or output of weeder, and not in its memory after it was hashed', async (t) => {
    const scene = await setRestartScene(t, 'secrecy');
    const { cluster, name: namespace, path } = scene.ns;
    // The value is never a single string of this file, so that the search does not find itself.
    const values = ['data', 'applied', 'note', 'second'].map((name) => `marker${name}0of0the0test`);
    const [inData = '', inApplied = '', inNote = '', later = ''] = values;
    const annotations = { [applied]: JSON.stringify({ stringData: { word: inApplied } }), note: inNote };
    const secrets = path('api/v1', 'secrets');
    await cluster.api('POST', secrets, { metadata: { name: 'web', annotations }, stringData: { word: inData } });
    await scene.make('Deployment', 'web', { uses: { envFrom: [{ secretRef: { name: 'web' } }] } });

    const [healthPort = 0, metricsPort = 0] = await freePorts(2);
    const snapshots = temporaryFile('snapshots');
    mkdirSync(snapshots);
    const recording = temporaryFile('recording.jsonl');
    const weeder = await scene.start(t, {
      flags: [
        `--record=${recording}`,
        `--health-bind-addr=127.0.0.1:${healthPort}`,
        `--metrics-bind-addr=127.0.0.1:${metricsPort}`,
      ],
      nodeFlags: ['--heapsnapshot-signal=SIGUSR2', `--diagnostic-dir=${snapshots}`],
    });
    await scene.untilAdopted('Deployment', 'web');
    await scene.put('web', { word: later }, 'Secret');
    await scene.untilDone('Deployment', 'web', 1);
    await weeder.log.until('workload rolled out: its pods have the new content');

    const lists = ['deployments', 'replicasets'].map((plural) => path('apis/apps/v1', plural));
    const events = path('apis/events.k8s.io/v1', 'events');
    const objects = await Promise.all([...lists, events].map((each) => cluster.api('GET', each)));
    const pods = await scene.pods('web');
    // A heap snapshot begins with a full garbage collection, and blocks the process until it is written.
    weeder.signal('SIGUSR2');
    const file = await eventually(() => readdirSync(snapshots)[0], { what: 'a heap snapshot' });
    await textOf(healthPort, '/healthz');
    const heap = readFileSync(join(snapshots, file), 'utf8');
    const texts = {
      log: JSON.stringify(weeder.log.lines),
      stderr: weeder.stderr(),
      objects: JSON.stringify([objects, pods]),
      metrics: await textOf(metricsPort, '/metrics'),
      actors: await textOf(healthPort, '/debug/actors'),
      recording: readFileSync(recording, 'utf8'),
      heap,
    };
    // Checks that the search covers the writes.
    assert.match(texts.log, /"level":"debug"/);
    assert.match(texts.objects, /"weeder.dev\/dependencies":/);
    assert.match(texts.actors, /deployment\/.*\/web/);
    for (const [where, text] of Object.entries(texts)) {
      assert.ok(text.length > 0 || where === 'stderr', where);
      for (const value of values) assert.ok(!holds(text, value), `${value} is in ${where}`);
    }
    assert.ok(holds(JSON.stringify(await cluster.api('GET', secrets)), later), 'the Secret contains the value');
    assert.ok(holds(heap, namespace), 'the snapshot contains the strings of the process');
  });
});
