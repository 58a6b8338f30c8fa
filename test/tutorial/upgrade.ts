import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { eventually } from '../cluster/support/eventually.ts';
import { archiveOf, formerVersion } from './archives.ts';
import { readPage } from './page.ts';
import type { Reader } from './reader.ts';

const upgradePage = 'docs/how-to/upgrade.md';

const read = (page: string): string => readFileSync(join(import.meta.dirname, '..', '..', page), 'utf8');
const config = {
  servicesAndDependantSelectors: { database: { podSelectors: [{ matchLabels: { uses: 'database' } }] } },
  observer: {},
};

/** A field of Applications that the CRD of the former version does not have. */
const newField = /^( +)pausedUntil:\n(?:\1 +.*\n)+/m;

/** A way to install weeder. */
interface Installation {
  readonly namespace: string;
  /** The file of the CRD in the clone. */
  readonly crd: string;
  /** Installs the former version, or goes back to it, with two replicas and the config. */
  installFormer(reader: Reader): Promise<unknown>;
}

export const kustomize: Installation = {
  namespace: 'garden',
  crd: 'deploy/components/observer-named/crd.yaml',
  async installFormer(reader) {
    const kustomization = readPage(read(upgradePage)).find((step) => 'file' in step);
    assert.ok(kustomization !== undefined);
    const former = kustomization.content.replace(`newTag: ${packageJson.version}`, `newTag: ${formerVersion}`);
    assert.notEqual(former, kustomization.content);
    reader.save(kustomization.file, former);
    await reader.run('kubectl create namespace garden --dry-run=client -o yaml | kubectl apply -f -');
    await reader.run('kubectl apply -k deploy/garden');
  },
};

export const helm: Installation = {
  namespace: 'weeder',
  crd: 'deploy/chart/files/applications.yaml',
  async installFormer(reader) {
    reader.save('values.yaml', stringify({ config, mode: 'highlyAvailable', observer: { enabled: true } }));
    const flags = `--namespace weeder --create-namespace --values values.yaml --set image.tag=${formerVersion}`;
    await reader.run(`helm upgrade --install weeder deploy/chart ${flags}`);
  },
};

/** What the reader of the page has before it, and what must hold after it. */
export function upgradeOf({ namespace, crd, installFormer }: Installation) {
  const ask = (reader: Reader, what: string, path: string) =>
    reader.run(`kubectl get --namespace ${namespace} ${what} --output 'jsonpath=${path}'`);
  const stateOf = async (reader: Reader) => {
    const holder = await ask(reader, 'lease dwd-weeder-leader-election', '{.spec.holderIdentity}');
    const crdNow = await reader.run('kubectl get crd applications.weeder.dev --output yaml');
    return {
      leader: holder.replace(/_.*/, ''),
      config: await ask(reader, 'configmap weeder', '{.data}'),
      hasNewField: newField.test(crdNow),
    };
  };
  /** The names of weeder's pods, once all of them are of this version. */
  const podsOf = async (reader: Reader, version: string) => {
    const format = '{range .items[*]}{.spec.containers[0].image} {.metadata.name}{"\\n"}{end}';
    const lines = (await ask(reader, 'pods --selector app.kubernetes.io/name=weeder', format)).trim().split('\n');
    const names = lines.map((line) => line.split(' ')).filter(([image]) => image === `weeder:${version}`);
    return names.length === 2 && lines.length === 2 && names.map(([, name]) => name);
  };
  let before: Awaited<ReturnType<typeof stateOf>> | undefined;
  return {
    async before(reader: Reader): Promise<void> {
      await reader.createCluster();
      await reader.loadArchive(reader.archive(archiveOf(formerVersion)));
      const manifest = reader.read(crd);
      reader.save(crd, manifest.replace(newField, ''));
      reader.save('deploy/garden/weeder.yaml', stringify(config));
      reader.save('nginx.yaml', /^# nginx\.yaml\n[^`]*/m.exec(read('docs/reference/observer.md'))?.[0] ?? '');
      await installFormer(reader);
      await reader.run(`kubectl rollout status -n ${namespace} deployment/weeder`);
      const hasLeader = async () => {
        const state = await stateOf(reader);
        return state.leader !== '' && state;
      };
      before = await eventually(hasLeader, { what: 'a leader of the former version' });
      assert.ok(!before.hasNewField);
      reader.save(crd, manifest);
    },
    async after(reader: Reader): Promise<void> {
      const pods = await eventually(() => podsOf(reader, packageJson.version), {
        what: 'pods of the new version alone',
      });
      const after = await eventually(
        async (saw) => {
          const state = await stateOf(reader);
          saw(state.leader);
          return pods.includes(state.leader) && state;
        },
        { what: 'a leader of the new version' },
      );
      assert.ok(before !== undefined && after.leader !== before.leader);
      assert.equal(after.config, before.config);
      assert.ok(after.hasNewField);
      const log = await reader.run(`kubectl logs -n ${namespace} -l app.kubernetes.io/name=weeder --tail=-1`);
      assert.match(log, /"msg":"this replica leads"/);
      assert.doesNotMatch(log, /"level":"error"/);
      // Back, with the newer CRD.
      await installFormer(reader);
      await reader.run(`kubectl rollout status -n ${namespace} deployment/weeder`);
      await eventually(() => podsOf(reader, formerVersion), { what: 'pods of the former version alone' });
    },
  };
}
