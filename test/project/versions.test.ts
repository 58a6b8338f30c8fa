import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import kubelet from '../../bench/kubelet/results.json' with { type: 'json' };
import packageJson from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };
import embeddedCluster from '../../packages/embedded-cluster/package.json' with { type: 'json' };
import { readPins } from '../../scripts/image/pins.ts';
import { kubernetesVersions } from '../cluster/support/plane/kubernetesVersions.ts';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const installed = lock.packages['node_modules/node'].version;
const [major] = installed.split('.');

test('the image has the version of Node that npm installs for the tests', () => {
  assert.equal(readPins().node, installed, 'run npm run image:pins');
});

test('the package and the types are for the same line of Node', () => {
  const { engines, devDependencies } = packageJson;
  for (const range of [engines.node, embeddedCluster.engines.node]) assert.equal(range, `>=${major}`);
  for (const range of [devDependencies.node, devDependencies['@types/node']]) {
    assert.match(range, new RegExp(`^\\^${major}\\.`));
  }
});

test('CI runs on the same line of Node', () => {
  const folder = fileURLToPath(new URL('../../.github/workflows', import.meta.url));
  const texts = globSync('*.yml', { cwd: folder }).map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
  const versions = texts.flatMap((text) => text.match(/(?<=node-version: )\S+/g) ?? []);
  assert.ok(versions.length > 1);
  assert.deepEqual([...new Set(versions)], [major]);
});

test('docs/reference/versions.md names the versions that weeder needs, and that were measured', () => {
  const page = read('docs/reference/versions.md');
  const [, collector] = /collector\/otelcol v(\S+)/.exec(read('test/cluster/collector/go.mod')) ?? [];
  const [, oldest] = /^kubeVersion: '>=(\d+\.\d+)\./m.exec(read('deploy/chart/Chart.yaml')) ?? [];
  for (const statement of [
    `weeder needs Node ${major} or newer`,
    `weeder needs Kubernetes ${oldest} or newer`,
    `tested with the OpenTelemetry Collector ${collector}.`,
    `a real ${kubelet.kubelet.replace(' v', ' ')} with ${kubelet.runtime},`,
  ]) {
    assert.ok(page.includes(statement), statement);
  }
});

test('each control plane has the version of its folder, and all modules of Kubernetes are of this version', () => {
  assert.ok(kubernetesVersions.length > 1);
  for (const { minor, folder, kubernetes, etcd } of kubernetesVersions) {
    assert.match(kubernetes, RegExp(`^${minor}\\.\\d+$`));
    assert.match(etcd, /^\d+\.\d+\.\d+$/);
    const replaced = readFileSync(`${folder}/go.mod`, 'utf8').match(/(?<= => k8s\.io\/\S+ v0)\S+/g) ?? [];
    assert.ok(replaced.length > 20);
    assert.deepEqual([...new Set(replaced)], [kubernetes.slice(1)]);
  }
});

test('each night tests all versions but the newest, which each change is tested on', () => {
  const { jobs } = parse(read('.github/workflows/nightly.yml'));
  assert.deepEqual(
    jobs.kubernetes.strategy.matrix.version,
    kubernetesVersions.slice(0, -1).map(({ minor }) => minor),
  );
});
