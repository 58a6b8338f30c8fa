import assert from 'node:assert/strict';
import { test } from 'node:test';
import { events, namespaces } from '@weeder/embedded-cluster/resources';
import { until } from '@weeder/kube-runtime/testing';
import { parse } from 'yaml';
import { z } from 'zod';
import { oneSentence, sharedCli, startCli } from '../support/cli.ts';
import { type Embedded, embedded, made } from '../support/world/embedded.ts';

const List = z.object({
  kind: z.literal('List'),
  items: z.array(z.object({ kind: z.literal('Event'), apiVersion: z.string(), reason: z.string() })),
});

/** Events of weeder in two namespaces, and one of another controller. */
function scene({ server: { store } }: Embedded) {
  let number = 0;
  const write = (reason: string, kind: string, namespace: string, age: number, more: object = {}) => {
    number += 1;
    const eventTime = new Date(Date.now() - age).toISOString().replace('Z', '000Z');
    const regarding = { apiVersion: 'v1', kind, namespace, name: 'web-0' };
    const metadata = { name: `web-0.${number}`, namespace };
    const said = { type: 'Normal', action: 'Do', note: `Note ${number}.`, reportingInstance: 'weeder-0' };
    const source = { reportingController: 'weeder.dev/weeder', ...said };
    made(store.create(events, { metadata, eventTime, regarding, reason, ...source, ...more }));
  };
  for (const name of ['shop', 'other']) made(store.create(namespaces, { metadata: { name } }));
  write('PodDeleted', 'Pod', 'shop', 300_000);
  write('DeletionPending', 'Pod', 'shop', 400_000);
  write('WindowOpened', 'Service', 'shop', 500_000);
  write('PodDeleted', 'Pod', 'other', 100_000);
  write('Scheduled', 'Pod', 'shop', 100_000, { reportingController: 'default-scheduler' });
  return { write };
}

test('events shows the Events of weeder like kubectl events, the newest last', async () => {
  await using cluster = await embedded();
  scene(cluster);
  const run = (...words: string[]) => sharedCli(['events', `--kubeconfig=${cluster.kubeconfig}`, ...words]);
  const rows = async (...words: string[]) => (await run(...words)).stdout.trimEnd().split('\n');
  const [head = '', ...shop] = await rows('-n', 'shop');
  assert.match(head, /^LAST SEEN {3}TYPE +REASON +OBJECT +MESSAGE$/);
  assert.deepEqual(
    shop.map((row) => row.split(/ {3,}/)[2]),
    ['WindowOpened', 'DeletionPending', 'PodDeleted'],
  );
  assert.match(shop[2] ?? '', /^5m\d*s? +Normal +PodDeleted +Pod\/web-0 +Note 1\.$/);
  assert.deepEqual(
    (await rows('-A')).map((row) => row.split(' ')[0]),
    ['NAMESPACE', 'shop', 'shop', 'shop', 'other'],
  );
  const ofService = await rows('-n', 'shop', '--for', 'svc/web-0');
  assert.match(ofService[1] ?? '', / WindowOpened /);
  assert.equal(ofService.length, 2);
  const json = List.parse(JSON.parse((await run('-n', 'shop', '-o', 'json', '--for=pod/web-0')).stdout));
  assert.deepEqual(
    json.items.map(({ reason, apiVersion }) => [reason, apiVersion]),
    [
      ['DeletionPending', 'events.k8s.io/v1'],
      ['PodDeleted', 'events.k8s.io/v1'],
    ],
  );
  assert.equal(List.parse(parse((await run('-A', '-o', 'yaml')).stdout)).items.length, 4);
  assert.equal((await run('-n', 'empty')).stderr, 'weeder: there are no Events of weeder in the namespace empty.\n');
  assert.match(oneSentence(await run('--for', 'web-0'), 2), /expected a kind and a name such as pod\/web-0\./);
  assert.match(oneSentence(await run('--watch', '-o', 'json'), 2), /^The flag --watch prints a table: leave out/);
});

test('events --watch prints each Event that is written later', async (t) => {
  await using cluster = await embedded();
  const { write } = scene(cluster);
  const watching = startCli(['events', '-n', 'shop', '--watch', `--kubeconfig=${cluster.kubeconfig}`]);
  t.after(() => watching.child.kill('SIGKILL'));
  await until('the list is printed', () => watching.stdout().includes(' Note 1.'));
  write('DeletionSkipped', 'Pod', 'shop', 0);
  write('PodDeleted', 'Pod', 'other', 0);
  write('WindowClosed', 'Service', 'shop', 0);
  await until('the newest is printed', () => watching.stdout().includes('WindowClosed'));
  const added = watching.stdout().trimEnd().split('\n').slice(4);
  assert.deepEqual(
    added.map((row) => row.split(/ {3,}/)[2]),
    ['DeletionSkipped', 'WindowClosed'],
  );
});
