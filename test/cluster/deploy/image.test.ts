import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { config, folder, startCli } from '../../support/cli.ts';
import { environment, execForm, instructionsOf, replay } from '../../support/docs/dockerfile.ts';
import { until } from '../../support/until.ts';
import { embedded } from '../../support/world/embedded.ts';

const checkout = fileURLToPath(new URL('../../..', import.meta.url));
const dockerfile = join(checkout, 'Dockerfile');
const instructions = instructionsOf(readFileSync(dockerfile, 'utf8'));
/** As the Dockerfile builds it; the production dependencies come from npm's cache, or the registry. */
const [build, image] = replay(dockerfile, checkout, folder);
assert.ok(build !== undefined && image !== undefined);
const buildFolder = join(build.root, 'build');
const instruction = (name: string) => instructions.find((each) => each.name === name) ?? assert.fail(`no ${name}`);

/** A command of the image as arguments that can be run here. */
function inImage(args: readonly string[]): string[] {
  const inRoot = (arg: string) => (arg.startsWith('/') ? join(image?.root ?? '', arg) : arg);
  return args.map((arg) => (arg === '/nodejs/bin/node' ? process.execPath : inRoot(arg)));
}

/** Runs the bundler's line of the Dockerfile again, with this in place of a source file. */
function bundleWith(name: string, text: string): { readonly code: number | null; readonly output: string } {
  const path = join(buildFolder, name);
  const before = readFileSync(path);
  writeFileSync(path, text);
  const command = instructions.find(({ rest }) => rest.includes('rolldown/bin'))?.rest ?? '';
  const args = command.split(' ').map((arg) => (arg.startsWith('/') ? join(build?.root ?? '', arg) : arg));
  const { status, stdout, stderr } = spawnSync(args[0] ?? '', args.slice(1), {
    cwd: buildFolder,
    env: environment(),
    encoding: 'utf8',
  });
  writeFileSync(path, before);
  return { code: status, output: stdout + stderr };
}

const Package = z.object({ version: z.string().optional(), dev: z.boolean().optional(), link: z.boolean().optional() });
const Lock = z.object({ packages: z.record(z.string(), Package) });

suite('the image', () => {
  test('contains one program with its files, and is small', () => {
    const files = globSync('**', { cwd: image.root }).filter((path) => statSync(join(image.root, path)).isFile());
    const others = files.filter((path) => !/^weeder\/dist\/chunks\/[\w.-]+\.js$/.test(path));
    const own = ['usr/local/bin/weeder', 'weeder/LICENSE', 'weeder/dist/weeder.js', 'weeder/package.json'];
    assert.deepEqual(others.sort(), own);
    const size = files.reduce((sum, path) => sum + statSync(join(image.root, path)).size, 0);
    assert.ok(size < 2_900_000, `${size} bytes`);
  });

  test('has the command weeder in its PATH, for kubectl exec', () => {
    const command = join(image.root, 'usr/local/bin/weeder');
    const [shebang] = readFileSync(command, 'utf8').split('\n', 1);
    assert.equal(shebang, `#!${execForm(instruction('ENTRYPOINT'))[0]}`);
    assert.equal(statSync(command).mode & 0o111, 0o111);
    const { stdout, stderr } = spawnSync(process.execPath, [command, '--version'], { encoding: 'utf8', cwd: '/' });
    assert.deepEqual([stdout, stderr], [`${packageJson.version}\n`, '']);
  });

  test('runs weeder by its own entry point, without permission to write files or to start processes', async (t) => {
    await using cluster = await embedded();
    const [node = '', first = '', ...others] = inImage(execForm(instruction('ENTRYPOINT')));
    const restricted = ['--permission', '--allow-fs-read=*', '--allow-net', '--disable-warning=ExperimentalWarning'];
    const cmd = execForm(instruction('CMD'));
    const args = [...others, ...cmd, `--config-file=${config}`, `--kubeconfig=${cluster.kubeconfig}`];
    const env = { NODE_OPTIONS: restricted.join(' ') };
    const weeder = startCli([...args, '--health-bind-addr=127.0.0.1:0', '--metrics-bind-addr=0'], {
      node,
      program: first,
      env,
      cwd: '/',
    });
    t.after(() => weeder.child.kill('SIGKILL'));
    await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
    weeder.child.kill('SIGTERM');
    const { code, stderr } = await weeder.ended;
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('cannot be built with a development dependency, nor without a production dependency', () => {
    const entry = 'src/cli/weeder.ts';
    const source = readFileSync(join(buildFolder, entry), 'utf8');
    for (const [missing, code] of [
      ['fast-check', 1],
      ['nowhere-to-be-found', 1],
      ['zod', 0],
    ] as const) {
      const built = bundleWith(entry, `${source}\nimport '${missing}';\n`);
      assert.equal(built.code, code, built.output);
      if (code !== 0) assert.match(built.output, new RegExp(`'${missing}'`));
    }
  });

  test('has bases that are pinned by a mandatory digest, no root, no shell, no HEALTHCHECK', () => {
    const args = instructions.filter(({ name }) => name === 'ARG').map(({ rest }) => rest);
    const bases = instructions.filter(({ name }) => name === 'FROM').map(({ rest }) => rest);
    for (const base of bases) {
      const digest = /@\$\{(\w+_DIGEST)\}( AS \w+)?$/.exec(base)?.[1];
      assert.ok(digest !== undefined && args.includes(digest), base);
    }
    assert.equal(instruction('USER').rest, '65532:65532');
    const final = image.instructions.map(({ name }) => name);
    assert.ok(!final.includes('RUN') && !final.includes('HEALTHCHECK'));
  });

  test('has everything that it copies in its context, and little else', () => {
    const allowed = readFileSync(join(checkout, '.dockerignore'), 'utf8').match(/(?<=^!).+$/gm);
    const copied = instructions
      .filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from'))
      .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
    assert.deepEqual(allowed?.sort(), [...new Set(copied)].sort());
  });
});

suite('production dependencies alone (npm ci --omit=dev)', () => {
  before(() => cpSync(join(checkout, 'scripts'), join(buildFolder, 'scripts'), { recursive: true }));
  const npm = (...args: string[]) =>
    execFileSync('npm', args, { cwd: buildFolder, env: environment(), encoding: 'utf8' });

  test('are installed without the bundler, and npm’s later scripts do not need it', () => {
    const { packages } = Lock.parse(JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')));
    const forDevelopment = Object.keys(packages).filter((path) => packages[path]?.dev === true);
    assert.ok(forDevelopment.includes('node_modules/rolldown'));
    assert.deepEqual(
      forDevelopment.filter((path) => existsSync(join(buildFolder, path))),
      [],
    );
    npm('run', 'prepare');
  });

  test('are enough to run the sources', () => {
    const run = (...args: string[]) =>
      execFileSync(process.execPath, ['src/cli/weeder.ts', ...args], { cwd: buildFolder, encoding: 'utf8' });
    assert.equal(run('--version'), `${packageJson.version}\n`);
    run('check', config);
  });

  test('are exactly what the SBOM lists', () => {
    const Bom = z.object({ components: z.array(z.looseObject({ name: z.string(), version: z.string() })) });
    const { components } = Bom.parse(JSON.parse(npm('run', '--silent', 'sbom')));
    const { packages } = Lock.parse(
      JSON.parse(readFileSync(join(buildFolder, 'node_modules/.package-lock.json'), 'utf8')),
    );
    const foreign = Object.entries(packages).filter(
      ([path, { link }]) => path.startsWith('node_modules/') && link !== true,
    );
    const installed = foreign.map(
      ([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)} ${version}`,
    );
    const listed = components.map(({ name, version }) => `${name} ${version}`);
    assert.deepEqual(listed.sort(), [...new Set(installed)].sort());
    for (const name of Object.keys(packageJson.dependencies)) {
      assert.ok(existsSync(join(buildFolder, 'node_modules', name)), name);
    }
  });
});
