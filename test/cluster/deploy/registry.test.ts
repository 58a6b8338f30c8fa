import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { buildWithPins, checkout } from '../support/deploy/builtImage.ts';
import { type Registry, startRegistry } from '../support/deploy/crane.ts';
import { helm, helmFolder } from '../support/deploy/helm.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';
import { temporaryFile } from '../support/weeder.ts';

const { version } = packageJson;
const Index = z.looseObject({
  manifests: z.array(
    z.looseObject({ digest: z.string(), platform: z.object({ os: z.string(), architecture: z.string() }) }),
  ),
});
const Config = z.looseObject({ config: z.looseObject({ Labels: z.record(z.string(), z.string()) }) });
const Workload = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({ spec: z.looseObject({ containers: z.array(z.looseObject({ image: z.string() })) }) }),
  }),
});

const imageOf = (object: unknown) => Workload.parse(object).spec.template.spec.containers[0]?.image;

/** A release is pushed as the workflow does it, to a registry on loopback, and installed from there. */
suite('a release in a registry', () => {
  const plane = suiteControlPlane();
  const output = temporaryFile('release');
  let registry: Registry;
  let path = '';
  let outputs = new Map<string, string>();

  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, {
      cwd: checkout,
      encoding: 'utf8',
      env: { ...process.env, PATH: path },
      stdio: 'pipe',
    });
  const script = (name: string, ...args: string[]) => run(process.execPath, `scripts/${name}.ts`, ...args);
  const crane = (...args: string[]) => run('crane', ...args).trim();
  const read = (name: string) => readFileSync(join(output, name), 'utf8');
  const push = () => {
    const lines = script('release/push', '--repository', `${registry.address}/acme/weeder`, '--input', output);
    return new Map(
      lines
        .trim()
        .split('\n')
        .map((line) => [line.split('=')[0] ?? '', line.split('=')[1] ?? '']),
    );
  };

  before(async () => {
    registry = await startRegistry();
    path = [registry.folder, await helmFolder(), process.env['PATH']].join(delimiter);
    buildWithPins('amd64');
    script('release/release', '--draft', '--repository', `${registry.address}/acme/weeder`, '--output', output);
    outputs = push();
  });
  after(() => registry[Symbol.asyncDispose]());

  test('has the image for two platforms, complete, by the digest that the install files name', () => {
    const image = `${registry.address}/acme/weeder`;
    const digest = crane('digest', `${image}:${version}`);
    const objects = parseAllDocuments(read('install-all.yaml')).map((each) => objectOf(each.toJS()));
    const named = imageOf(objects.find(({ kind }) => kind === 'Deployment'));
    assert.equal(named, `${image}@${digest}`);
    assert.deepEqual([outputs.get('image'), outputs.get('image-digest')], [image, digest]);
    const { manifests } = Index.parse(JSON.parse(crane('manifest', named)));
    assert.deepEqual(
      manifests.map(({ platform }) => `${platform.os}/${platform.architecture}`),
      ['linux/amd64', 'linux/arm64'],
    );
    for (const manifest of manifests) {
      assert.equal(outputs.get(`image-digest-${manifest.platform.architecture}`), manifest.digest);
      crane('validate', '--remote', `${image}@${manifest.digest}`);
      const { Labels } = Config.parse(JSON.parse(crane('config', `${image}@${manifest.digest}`))).config;
      assert.equal(Labels['org.opencontainers.image.source'], 'https://github.com/acme/weeder');
    }
  });

  test('has the image that `npm run image` builds for the same repository, and the same after a second push', () => {
    const built = script(
      'image/build',
      '--repository',
      `${registry.address}/acme/weeder`,
      '--output',
      temporaryFile('image'),
    );
    assert.equal(built.trim().split(' ').at(-1), outputs.get('image-digest'));
    assert.deepEqual(push(), outputs);
  });

  test('has the chart, which names the image for Artifact Hub, and which Helm installs', async () => {
    const chart = `oci://${registry.address}/acme/charts/weeder`;
    const source = [chart, '--version', version, '--plain-http'];
    const about = objectOf(parse(await helm('show', 'chart', ...source)));
    const images = parse(String(objectOf(about['annotations'])['artifacthub.io/images']));
    const reference = `${registry.address}/acme/weeder@${outputs.get('image-digest')}`;
    assert.deepEqual(images, [{ name: 'weeder', image: reference, platforms: ['linux/amd64', 'linux/arm64'] }]);
    const place = ['--namespace', 'weeder', '--create-namespace', '--kubeconfig', plane().kubeconfigFor('admin')];
    await helm('install', 'weeder', ...source, ...place);
    const installed = await plane().api('GET', '/apis/apps/v1/namespaces/weeder/deployments/weeder');
    assert.equal(imageOf(installed), `${registry.address}/acme/weeder:${version}`);
    assert.equal(crane('digest', `${outputs.get('chart')}:${version}`), outputs.get('chart-digest'));
  });

  test('has all that the workflow of a release signs and attests', () => {
    const workflow = readFileSync(join(checkout, '.github/workflows/release.yml'), 'utf8');
    const used = [...workflow.matchAll(/steps\.push\.outputs\.([\w-]+)/g)].map(([, name = '']) => name);
    assert.deepEqual([...new Set(used)].sort(), [...outputs.keys()].sort());
    for (const [name, file] of outputs) if (name.startsWith('image-sbom')) assert.match(read(file), /"CycloneDX"/);
  });

  test('is not pushed to a registry that does not answer: one sentence says what is needed', () => {
    assert.throws(
      () => script('release/push', '--repository', '127.0.0.1:9/acme/weeder', '--input', output),
      (error) => {
        assert.ok(error instanceof Error && 'stderr' in error);
        assert.match(
          String(error.stderr),
          /^crane fails \(.*connection refused\): the push needs crane, and its login to the registry\.\n$/,
        );
        return true;
      },
    );
  });
});
