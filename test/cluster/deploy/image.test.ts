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
/** Replays the Dockerfile. The production dependencies come from npm's cache or the registry. */
const [build, image] = replay(dockerfile, checkout, folder);
assert.ok(build !== undefined && image !== undefined);
const buildFolder = join(build.root, 'build');
const instruction = (name: string) => instructions.find((each) => each.name === name) ?? assert.fail(`no ${name}`);

/** Replaces the paths of the image by those of this machine. */
function inImage(args: readonly string[]): string[] {
  const inRoot = (arg: string) => (arg.startsWith('/') ? join(image?.root ?? '', arg) : arg);
  return args.map((arg) => (arg === '/nodejs/bin/node' ? process.execPath : inRoot(arg)));
}

/** Repeats the bundling step of the Dockerfile with this text in a source file. */
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
  test('the image contains one program with its files, and is small', () => {
    const files = globSync('**', { cwd: image.root }).filter((path) => statSync(join(image.root, path)).isFile());
    const others = files.filter((path) => !/^weeder\/dist\/chunks\/[\w.-]+\.js$/.test(path));
    const own = ['usr/local/bin/weeder', 'weeder/LICENSE', 'weeder/dist/weeder.js', 'weeder/package.json'];
    assert.deepEqual(others.sort(), own);
    const size = files.reduce((sum, path) => sum + statSync(join(image.root, path)).size, 0);
    assert.ok(size < 2_900_000, `${size} bytes`);
  });

  test('the image has the command weeder in its PATH, for kubectl exec', () => {
    const command = join(image.root, 'usr/local/bin/weeder');
    const [shebang] = readFileSync(command, 'utf8').split('\n', 1);
    assert.equal(shebang, `#!${execForm(instruction('ENTRYPOINT'))[0]}`);
    assert.equal(statSync(command).mode & 0o111, 0o111);
    const { stdout, stderr } = spawnSync(process.execPath, [command, '--version'], { encoding: 'utf8', cwd: '/' });
    assert.deepEqual([stdout, stderr], [`${packageJson.version}\n`, '']);
  });

  test('the entry point runs weeder without permission to write files or to start processes', async (t) => {
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

  test('the build fails if the code imports a development dependency or a missing package', () => {
    const entry = 'src/cli/weeder.ts';
    const source = readFileSync(join(buildFolder, entry), 'utf8');
    for (const [missing, code] of [
      ['fast-check', 1],
      ['missing-package', 1],
      ['zod', 0],
    ] as const) {
      const built = bundleWith(entry, `${source}\nimport '${missing}';\n`);
      assert.equal(built.code, code, built.output);
      if (code !== 0) assert.match(built.output, new RegExp(`'${missing}'`));
    }
  });

  test('the base images are pinned by a mandatory digest, and the image has no root user, shell or HEALTHCHECK', () => {
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

  test('the build context contains exactly what the Dockerfile copies', () => {
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

  test('the bundler is not installed, and the later scripts of npm do not need it', () => {
    const { packages } = Lock.parse(JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')));
    const forDevelopment = Object.keys(packages).filter((path) => packages[path]?.dev === true);
    assert.ok(forDevelopment.includes('node_modules/rolldown'));
    assert.deepEqual(
      forDevelopment.filter((path) => existsSync(join(buildFolder, path))),
      [],
    );
    npm('run', 'prepare');
  });

  test('the production dependencies suffice to run the sources', () => {
    const run = (...args: string[]) =>
      execFileSync(process.execPath, ['src/cli/weeder.ts', ...args], { cwd: buildFolder, encoding: 'utf8' });
    assert.equal(run('--version'), `${packageJson.version}\n`);
    run('check', config);
  });

  test('the SBOM lists exactly the production dependencies', () => {
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
