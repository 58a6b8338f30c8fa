import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { grant, type Pod, type Rule, startWeeder } from '../support/cluster.ts';
import { denials } from '../support/deploy/denials.ts';
import { startLogKubelet } from '../support/plane/logKubelet.ts';
import { type Scene, setScene } from '../support/scene.ts';
import { temporaryFile } from '../support/weeder.ts';

const evidence = { logLines: 2 };

const rule = (group: string, resource: string, ...verbs: string[]): Rule => ({
  apiGroups: [group],
  resources: [resource],
  verbs,
});
const withoutLogs = [
  rule('discovery.k8s.io', 'endpointslices', 'list', 'watch'),
  rule('', 'pods', 'list', 'watch', 'get', 'delete'),
];

/** The place of the pod's line in the log; -1 if there is none. */
function placeOf(weeder: ReturnType<typeof startWeeder>, message: string, { ns }: Scene, { metadata }: Pod): number {
  return weeder.log.lines.findIndex(({ msg, pod }) => msg === message && pod === `${ns.name}/${metadata.name}`);
}

suite('evidence before a deletion', { concurrency: true }, () => {
  test('the end of the log of the crashed container is in the log of weeder before its pod is deleted', async (t) => {
    const scene = await setScene(t, 'evidence', { global: { evidence } });
    const kubelet = await startLogKubelet(t, scene.ns, (_, respond) =>
      respond('connecting\nthe database is down: "s3cret"\n'),
    );
    const weeder = startWeeder(t, { cluster: scene.ns.cluster, config: scene.config });
    await scene.endpoints(false);
    await weeder.ready();

    async function deletedPod(name: string) {
      const pod = await scene.pod(name);
      await kubelet.bind(pod);
      await scene.endpoints(true);
      await scene.untilDeleted(pod);
      const place = { pod: `${scene.ns.name}/${name}`, container: 'main' };
      await weeder.log.until('pod deleted', place);
      return { pod, line: weeder.log.find('log of the crashed container', place)[0] };
    }

    // On a busy machine a log may take longer than the 500 ms that weeder waits. Then it reads none for ten seconds.
    let [round, deletion] = [0, await deletedPod('web-0')];
    while (deletion.line === undefined) {
      round += 1;
      await scene.down(weeder);
      deletion = await deletedPod(`web-${round}`);
    }
    const { pod, line } = deletion;
    assert.deepEqual(line['lines'], ['connecting', 'the database is down: "s3cret"']);
    const path = `/containerLogs/${scene.ns.name}/web-${round}/main?limitBytes=4194305&tailLines=2`;
    assert.equal(kubelet.requests.at(-1), path);
    const [read, deleted] = ['log of the crashed container', 'pod deleted'].map((each) =>
      placeOf(weeder, each, scene, pod),
    );
    assert.ok(read !== undefined && deleted !== undefined && read < deleted);
  });

  test('a pod is deleted while its kubelet does not answer, and so is a pod without a node', async (t) => {
    const scene = await setScene(t, 'no-evidence', { global: { evidence } });
    const kubelet = await startLogKubelet(t, scene.ns, () => {});
    const weeder = startWeeder(t, { cluster: scene.ns.cluster, config: scene.config });
    await weeder.ready();
    await scene.endpoints(true);
    await scene.untilDeleted(await scene.pod('homeless'));
    await scene.down(weeder);
    const crashed = await scene.pod('other');
    await kubelet.bind(crashed);
    await scene.endpoints(true);
    await scene.untilDeleted(crashed);
    const unread = 'the log of a crashed container cannot be read: its pod is deleted without it';
    const { cause } = await weeder.log.until(unread, { pod: `${scene.ns.name}/other` });
    assert.match(String(cause), /did not answer in time: the log was not received within 500 ms/);
    assert.equal(placeOf(weeder, 'log of the crashed container', scene, crashed), -1);
  });

  test('a hundred pods are deleted while half of their logs do not arrive, each after its own log if that was read', async (t) => {
    const scene = await setScene(t, 'slow-logs', { global: { evidence } });
    const late: (() => void)[] = [];
    const kubelet = await startLogKubelet(t, scene.ns, (path, respond) => {
      if (path.includes('-fast/')) respond('a line\n');
      else late.push(() => respond('late\n'));
    });
    await scene.endpoints(false);
    const pods = await Promise.all(
      Array.from({ length: 100 }, (_, index) => scene.pod(`web-${index}-${index % 2 === 0 ? 'fast' : 'slow'}`)),
    );
    await Promise.all(pods.map((pod) => kubelet.bind(pod)));
    const weeder = startWeeder(t, { cluster: scene.ns.cluster, config: scene.config });
    await weeder.ready();
    await scene.endpoints(true);
    await scene.untilDeleted(...pods);
    // None of the slow logs has arrived so far: no deletion has waited for one.
    for (const respond of late) respond();
    await weeder.log.until('pod deleted', {}, { count: pods.length });
    scene.assertDeleted(...pods);
    const places = pods.map((pod) => {
      const [read = -1, deleted = -1] = ['log of the crashed container', 'pod deleted'].map((message) =>
        placeOf(weeder, message, scene, pod),
      );
      return { name: pod.metadata.name, isRead: read >= 0, isInOrder: read < deleted };
    });
    assert.deepEqual(
      places.filter(({ isInOrder }) => !isInOrder),
      [],
    );
    const read = places.filter(({ isRead }) => isRead);
    assert.ok(read.every(({ name }) => name.endsWith('-fast')));
    // Of the slow logs at most eight are requested, and then there is no time for the others.
    assert.ok(kubelet.requests.length < pods.length / 2, `${kubelet.requests.length} requests`);
    t.diagnostic(`${read.length} of ${pods.length} logs read in ${kubelet.requests.length} requests`);
  });

  test('without permission pods are deleted anyway, and the log names the missing rule once', async (t) => {
    const scene = await setScene(t, 'unreadable', { global: { evidence } });
    const { cluster } = scene.ns;
    const user = cluster.takeUser();
    const granted = await grant(cluster, user, withoutLogs);
    t.after(() => granted.revoke());
    const weeder = startWeeder(t, { cluster, config: scene.config, user, flags: ['--events=false'] });
    await weeder.ready();
    await scene.endpoints(true);
    for (const name of ['web-1', 'web-2', 'web-3']) await scene.untilDeleted(await scene.pod(name));
    await scene.observer.caughtUp();
    assert.deepEqual(denials(weeder), ['get /pods/log']);
  });

  test('a new config turns the section on and off, beside restart control', async (t) => {
    const scene = await setScene(t, 'evidence-reload');
    const kubelet = await startLogKubelet(t, scene.ns, (_, respond) => respond('a line\n'));
    const restartControl = [{ namespaces: [scene.ns.name], kinds: ['Deployment'] }];
    const file = temporaryFile('weeder.yaml');
    const write = (section: object) =>
      writeFileSync(file, JSON.stringify({ ...scene.config, restartControl, ...section }));
    write({});
    const weeder = startWeeder(t, {
      cluster: scene.ns.cluster,
      config: '',
      flags: [`--config-file=${file}`],
      env: { POD_NAMESPACE: scene.ns.name },
    });
    await weeder.ready();
    await scene.endpoints(true);
    for (const [name, section, change] of [
      ['web-1', {}, undefined],
      ['web-2', { evidence }, 'added'],
      ['web-3', {}, 'removed'],
    ] as const) {
      write(section);
      if (change !== undefined) await weeder.log.until('config applied', { evidence: change });
      await scene.down(weeder);
      const pod = await scene.pod(name);
      await kubelet.bind(pod);
      await scene.endpoints(true);
      await scene.untilDeleted(pod);
    }
    assert.deepEqual(
      kubelet.requests.map((path) => path.split('/')[3]),
      ['web-2'],
    );
    // On a busy machine a log that was requested may take longer than weeder waits.
    await weeder.log.until(/log of (the|a) crashed container/, { pod: `${scene.ns.name}/web-2` });
  });
});
