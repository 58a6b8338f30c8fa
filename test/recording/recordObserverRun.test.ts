import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { secrets } from '@weeder/embedded-cluster/resources';
import { objectOf, systemClock } from '@weeder/kube-runtime/base';
import { until } from '@weeder/kube-runtime/testing';
import {
  applicationName,
  configText,
  firstImage,
  home,
  imagesOf,
  labelsOf,
  manifestsWith,
  nextImage,
  replicasOf,
} from '../../src/demo/observer/objects.ts';
import { openSite, peopleOf } from '../../src/demo/observer/site.ts';
import { clientTo } from '../../src/demo/run.ts';
import { applicationsPath } from '../../src/observer/status/applicationApi.ts';
import { file, folder, kubeconfig, sharedCli, startCli } from '../support/cli.ts';
import { readLines } from '../support/recording/recording.ts';

const marker = 'hunter2-the-marker';
const login = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, stringData: { password: marker } };
const encodings = (['utf8', 'base64', 'base64url', 'hex'] as const).map((each) => Buffer.from(marker).toString(each));

/** Records with the real program what happens to an application: edits, a release, deletion. Returns the path. */
async function recordSite(t: TestContext): Promise<string> {
  const site = openSite(systemClock, 1);
  t.after(() => site.stop());
  const listening = await site.server.listen();
  t.after(() => listening.close());
  const client = clientTo(listening.url, systemClock);
  t.after(() => client.close());
  const people = peopleOf(client);
  const path = join(folder, 'site.jsonl');
  const words = ['--config-file', file('site.yaml', configText), '--record', path];
  const access = ['--kubeconfig', file('site.kubeconfig', kubeconfig(listening.url))];
  const noServers = ['--health-bind-addr=0', '--metrics-bind-addr=0'];
  const [image, password] = [
    () => imagesOf(site.object('Deployment'))[0],
    () => objectOf(site.server.store.get(secrets, home, 'login')?.['data'])['password'],
  ];
  await people.createApplication(firstImage);
  const weeder = startCli([...words, ...access, ...noServers]);
  t.after(() => weeder.child.kill('SIGKILL'));
  const untilLogged = (text: string, times = 1) =>
    until(`"${text}", ${times} times`, () => weeder.stdout().split(text).length > times);
  await untilLogged('application applied');

  const containers = [{ name: applicationName, image: 'nginx:latest' }];
  await people.patch('Deployment', { spec: { template: { spec: { containers } } } }, 'kubectl-set');
  await untilLogged('resource corrected');
  assert.equal(image(), firstImage);
  await people.scale(5);
  await people.delete('Service');
  await untilLogged('resource applied', 3);
  await people.patchApplication({ spec: { manifests: [...manifestsWith(nextImage), login] } });
  await untilLogged('application applied', 2);
  assert.deepEqual([image(), replicasOf(site.object('Deployment'))], [nextImage, 5]);
  assert.equal(labelsOf(site.object('Service'))['app'], applicationName);
  const written = password();
  site.server.store.patch(secrets, home, 'login', { data: { password: 'b3RoZXI=' } }, { manager: 'kubectl-edit' });
  await untilLogged('resource corrected', 2);
  assert.equal(password(), written);
  await client.call({ method: 'DELETE', path: `${applicationsPath(home)}/${applicationName}` });
  await untilLogged('application deleted');
  assert.deepEqual([image(), password()], [undefined, undefined]);
  weeder.child.kill('SIGTERM');
  const ended = await weeder.ended;
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  return path;
}

test('run --record records the observer, its replay repeats the decisions, and a changed recording leads to others', async (t) => {
  const path = await recordSite(t);
  const decided = readLines(path).flatMap((line) => {
    const { out, about, detail } = line;
    return typeof out === 'string' && out.startsWith('resource.') ? [`${out} ${about} ${detail}`.trim()] : [];
  });
  const corrected = decided.filter((each) => each.startsWith('resource.corrected'));
  const image = '.spec.template.spec.containers[name="nginx"].image';
  assert.deepEqual(corrected, [
    `resource.corrected shop/nginx Deployment shop/nginx ${image}`,
    'resource.corrected shop/nginx Secret shop/login .data.password',
  ]);
  assert.ok(decided.includes('resource.missing shop/nginx Service shop/nginx'));
  assert.equal(decided.filter((each) => each.startsWith('resource.deleted')).length, 3);

  const replayed = await sharedCli(['replay', path]);
  // On a busy machine a timer may be late, which is marked with `~`: it is the same decision.
  assert.match(replayed.stdout, /the same decisions as recorded|decisions? differs? from the recorded ones/);
  assert.doesNotMatch(replayed.stdout, /\(recorded, not replayed\)|\(replayed, not recorded\)/);
  for (const words of [
    /drift detected +shop\/nginx Deployment shop\/nginx +\S+ \(by kubectl-set\/Update\)/,
    /updated$/m,
  ])
    assert.match(replayed.stdout, words);

  const text = readFileSync(path, 'utf8');
  assert.ok(text.includes('Secret shop/login'));
  for (const encoding of encodings) assert.ok(!text.includes(encoding.slice(0, 16)), encoding);

  // What is decided shortly before the end need not be in the file: here the end comes later.
  const [end = '', ...before] = text.trimEnd().split('\n').toReversed();
  const lines = [...before.toReversed(), end.replace(/^\{"t":[\d.]+/, '{"t":60000')];
  const altered = async (name: string, its: readonly string[]) =>
    sharedCli(['replay', file(name, `${its.join('\n')}\n`)]);
  const first = lines.findIndex((line) => line.includes('"out":"resource.corrected"'));
  const extra = await altered('without-a-correction.jsonl', lines.toSpliced(first, 1));
  assert.equal(extra.code, 1, extra.stdout);
  assert.match(extra.stdout, /^\+ .* corrected .*containers.*\(replayed, not recorded\)$/m);
  const withoutDrift = lines.map((line) =>
    line.includes('"in":"MODIFIED"') ? line.replaceAll('nginx:latest', firstImage) : line,
  );
  assert.notDeepEqual(withoutDrift, lines);
  const missing = await altered('without-a-drift.jsonl', withoutDrift);
  assert.equal(missing.code, 1, missing.stdout);
  assert.match(missing.stdout, /^- .* corrected .*containers.*\(recorded, not replayed\)$/m);
});
