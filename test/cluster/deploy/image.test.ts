import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { suite, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { until } from '@weeder/kube-runtime/testing';
import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { imageConfig } from '../../../scripts/image/config.ts';
import { publishedPackageJson } from '../../../scripts/image/publishedPackageJson.ts';
import { readTar } from '../../../scripts/image/tar.ts';
import { config, folder, startCli } from '../../support/cli.ts';
import { embedded } from '../../support/world/embedded.ts';
import { build, builtImage, checkout } from '../support/deploy/builtImage.ts';

const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
const { archive, pins, image, files, root } = builtImage(architecture);

/** Node with the loader and the libraries of the image, without a container. */
const triple = { amd64: 'x86_64', arm64: 'aarch64' }[architecture];
const libraries = join(root, `usr/lib/${triple}-linux-gnu`);
const loader = join(libraries, `ld-linux-${triple.replace('_', '-')}.so.${architecture === 'amd64' ? 2 : 1}`);
const inRoot = (path: string): string => (path.startsWith('/') ? join(root, path) : path);
const [node, flag, entry] = imageConfig.Entrypoint.map(inRoot);
assert.ok(node !== undefined && flag !== undefined && entry !== undefined);

suite('the image', () => {
  test('is the same in every build of the same sources, also in a release, which has its SBOM and the checksums', () => {
    const output = join(folder, 'release');
    const args = ['scripts/release/release.ts', '--draft', '--platform', `linux/${architecture}`, '--output', output];
    execFileSync(process.execPath, args, { cwd: checkout });
    const sums = readFileSync(join(output, 'SHA256SUMS'), 'utf8');
    for (const [name, content] of [
      [`weeder-${packageJson.version}.oci.tar`, archive],
      [
        `weeder-image-${packageJson.version}-${architecture}.cdx.json`,
        readFileSync(join(root, 'weeder/weeder.cdx.json')),
      ],
    ] as const) {
      assert.ok(readFileSync(join(output, name)).equals(content), name);
      assert.ok(sums.includes(`${createHash('sha256').update(content).digest('hex')}  ${name}\n`), name);
    }
  });

  test('has a layer each for Debian, Node and weeder, and is small', () => {
    const [debian = [], runtime = [], weeder = []] = image.layers.map(({ blob }) =>
      readTar(gunzipSync(blob)).flatMap(({ name }) => (name.endsWith('/') ? [] : [name])),
    );
    assert.deepEqual(
      debian.filter((name) => !/^(etc|usr\/(lib|lib64|share\/doc)|var\/lib\/dpkg\/status\.d)\/|^lib(64)?$/.test(name)),
      [],
    );
    assert.deepEqual(runtime, ['nodejs/LICENSE', 'nodejs/bin/node']);
    assert.deepEqual(
      weeder.filter((name) => !/^weeder\/dist\/chunks\/[\w.-]+\.js$/.test(name)),
      [
        'usr/local/bin/weeder',
        'weeder/LICENSE',
        'weeder/dist/kubectl-weeder.js',
        'weeder/dist/licenses.txt',
        'weeder/dist/weeder.js',
        'weeder/package.json',
        'weeder/weeder.cdx.json',
      ],
    );
    const sizes = image.layers.map(({ size }) => size / 1024 ** 2);
    assert.ok(
      sizes.every((size, index) => size < ([4, 52, 1][index] ?? 0)),
      sizes.join(),
    );
  });

  test('has the package.json of the package of npm', () => {
    assert.equal(readFileSync(join(root, 'weeder/package.json'), 'utf8'), publishedPackageJson());
  });

  test('belongs to root, and runs as another user without a shell', () => {
    assert.equal(image.config.config['User'], '65532:65532');
    assert.ok(
      files.some(({ name, content }) => name === 'etc/passwd' && `${content}`.includes('nonroot:x:65532:65532:')),
    );
    assert.deepEqual(
      files.filter(({ name, mode, link }) => link === undefined && name !== 'tmp/' && (mode & 0o7022) !== 0),
      [],
    );
    assert.ok(!files.some(({ name }) => /(^|\/)(ba|da)?sh$/.test(name)));
    assert.equal(files.find(({ name }) => name === 'tmp/')?.mode, 0o1777);
  });

  test('has labels with the version and the license', () => {
    const Labels = z.record(z.string(), z.string());
    const labels = Labels.parse(image.config.config['Labels']);
    assert.equal(labels['org.opencontainers.image.version'], packageJson.version);
    assert.equal(labels['org.opencontainers.image.licenses'], packageJson.license);
    // Only a publisher has an address: test/cluster/deploy/registry.test.ts.
    assert.equal(labels['org.opencontainers.image.source'], undefined);
  });

  test('lists Node, the packages of Debian and those of the bundle in its SBOM', () => {
    const Bom = z.object({ components: z.array(z.looseObject({ name: z.string(), version: z.string() })) });
    const { components } = Bom.parse(JSON.parse(readFileSync(join(root, 'weeder/weeder.cdx.json'), 'utf8')));
    const listed = components.map(({ name, version }) => `${name} ${version}`);
    const expected = [{ name: 'node', version: pins.node }, ...pins[architecture].packages];
    for (const { name, version } of expected) assert.ok(listed.includes(`${name} ${version}`), name);
    assert.ok(listed.some((each) => each.startsWith('xstate ')));
    for (const { name, version } of pins[architecture].packages) {
      const control = readFileSync(join(root, 'var/lib/dpkg/status.d', name), 'utf8').split('\n');
      assert.ok(control.includes(`Package: ${name}`) && control.includes(`Version: ${version}`), name);
    }
  });

  test('has every library that Node needs', () => {
    const listed = execFileSync(loader, ['--library-path', libraries, '--list', node], { encoding: 'utf8' });
    const paths = [...listed.matchAll(/=> (.+) \(/g)].map(([, path = '']) => path);
    assert.ok(paths.length >= 7);
    assert.deepEqual(
      paths.filter((path) => !path.startsWith(root)),
      [],
    );
  });

  test('has the command weeder in its PATH, for kubectl exec', () => {
    const command = join(root, 'usr/local/bin/weeder');
    const [shebang] = readFileSync(command, 'utf8').split('\n', 1);
    assert.equal(shebang, `#!${imageConfig.Entrypoint[0]}`);
    assert.equal(statSync(command).mode & 0o111, 0o111);
    const { stdout, stderr } = spawnSync(loader, ['--library-path', libraries, node, command, '--version'], {
      encoding: 'utf8',
      cwd: '/',
    });
    assert.deepEqual([stdout, stderr], [`${packageJson.version}\n`, '']);
  });

  test('runs weeder without permission to write files or to start processes', async (t) => {
    await using cluster = await embedded();
    const restricted = ['--permission', '--allow-fs-read=*', '--allow-net', '--disable-warning=ExperimentalWarning'];
    const args = [...imageConfig.Cmd, `--config-file=${config}`, `--kubeconfig=${cluster.kubeconfig}`];
    const flags = ['--health-bind-addr=127.0.0.1:0', '--metrics-bind-addr=0'];
    const weeder = startCli([libraries, node, flag, entry, ...args, ...flags], {
      node: loader,
      program: '--library-path',
      env: { NODE_OPTIONS: restricted.join(' ') },
      cwd: '/',
    });
    t.after(() => weeder.child.kill('SIGKILL'));
    await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
    weeder.child.kill('SIGTERM');
    const { code, stderr } = await weeder.ended;
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('is not built from a download with another hash', () => {
    const [first] = pins[architecture].packages;
    const cache = join(folder, 'cache', 'image');
    mkdirSync(cache, { recursive: true });
    const name = decodeURIComponent(basename(first?.url ?? ''));
    writeFileSync(join(cache, name), 'something else');
    const refused = build(architecture, [], { WEEDER_CACHE: join(folder, 'cache') });
    const sentence = `${name} is not the file that scripts/image/pins.json names: its hash differs.\n`;
    assert.deepEqual([refused.status, refused.stderr], [1, sentence]);
  });

  test('is not built for an unknown platform or with a wrong date: one sentence says why', () => {
    const unknown = build(architecture, ['--platform', 'linux/riscv64']);
    assert.deepEqual(
      [unknown.status, unknown.stderr],
      [1, '--platform is a list of linux/amd64 and linux/arm64; found linux/riscv64.\n'],
    );
    const date = build(architecture, [], { SOURCE_DATE_EPOCH: 'today' });
    assert.deepEqual([date.status, date.stderr], [1, 'SOURCE_DATE_EPOCH is a number of seconds.\n']);
    const flag = build(architecture, ['--push']);
    assert.deepEqual([flag.status, flag.stderr.trimEnd().split('\n').length], [1, 1]);
  });
});
