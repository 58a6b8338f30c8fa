import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { checkout } from '../../support/cache.ts';
import { folder, signedRelease } from '../../support/release.ts';
import { stepsOf, type Workflow } from './workflow.ts';

const workflow: Workflow = parse(readFileSync(join(checkout, '.github/workflows/release.yml'), 'utf8'));
const publish = workflow.jobs['publish'] ?? assert.fail();
const scripts = stepsOf(publish).flatMap(({ run }) => run ?? []);

/** Runs a step of the publishing job as the runner does. */
function runStep(begin: string, cwd: string, env: Readonly<Record<string, string>>) {
  const { run = assert.fail() } = stepsOf(publish).find(({ name = '' }) => name.startsWith(begin)) ?? assert.fail();
  return spawnSync('bash', ['-e', '-c', run], { cwd, env: { ...process.env, ...env }, encoding: 'utf8' });
}

suite('the publishing job of a release', () => {
  test('publishes what another job has built, after the tests', () => {
    assert.deepEqual(publish.needs, ['test', 'build', 'tools']);
    const actions = stepsOf(publish).flatMap(({ uses }) => uses?.split('@')[0] ?? []);
    assert.equal(actions.filter((each) => each === 'actions/download-artifact').length, 2);
    assert.ok(!actions.includes('actions/setup-go'));
  });

  test('installs no package, and runs no test and nothing that is built there', () => {
    const programs = scripts.flatMap(
      (script) => script.match(/\b(?:npm|npx|yarn|pnpm|go|apt|apt-get|make)\b(?= [a-z-])|\.ci\/run/g) ?? [],
    );
    assert.ok(scripts.length > 5);
    assert.deepEqual(programs, []);
  });

  test('runs scripts that need no package', () => {
    const files = scripts.flatMap((script) => script.match(/(?<=\bnode )\S+\.ts/g) ?? []);
    assert.deepEqual(files, ['scripts/release/push.ts']);
    const bare = join(folder, 'bare');
    for (const part of ['scripts', 'package.json']) cpSync(join(checkout, part), join(bare, part), { recursive: true });
    for (const file of files) {
      const { stderr } = spawnSync(process.execPath, [file], { cwd: bare, encoding: 'utf8' });
      assert.equal(stderr, '--repository names the image, such as ghcr.io/acme/weeder.\n');
    }
  });

  test('accepts the files of the build only, each with its digest', () => {
    const { output } = signedRelease();
    const copy = (name: string) => {
      const to = join(folder, name);
      cpSync(output, to, { recursive: true });
      rmSync(join(to, 'SHA256SUMS.sig'));
      return to;
    };
    const sums = readFileSync(join(output, 'SHA256SUMS'));
    const SUMS = createHash('sha256').update(sums).digest('hex');
    const check = (cwd: string) => runStep('The files are those of the build', cwd, { SUMS });
    const good = copy('good');
    assert.equal(check(good).status, 0, check(good).stderr);
    const changed = copy('changed');
    appendFileSync(join(changed, 'install-all.yaml'), '\n');
    const added = copy('added');
    writeFileSync(join(added, 'more.sh'), '');
    const missing = copy('missing');
    rmSync(join(missing, 'install-all.yaml'));
    const otherSums = copy('otherSums');
    writeFileSync(join(otherSums, 'SHA256SUMS'), `${sums}`.split('\n').slice(1).join('\n'));
    for (const bad of [changed, added, missing, otherSums]) assert.notEqual(check(bad).status, 0, bad);
  });

  test('signs the checksums as `npm run release -- --sign` does, and without a key not at all', () => {
    const { output, key } = signedRelease();
    const to = join(folder, 'toSign');
    cpSync(output, to, { recursive: true });
    rmSync(join(to, 'SHA256SUMS.sig'));
    const begin = 'The signature with the key';
    assert.equal(runStep(begin, to, { SIGNING_KEY: '' }).status, 0);
    assert.throws(() => readFileSync(join(to, 'SHA256SUMS.sig')), { code: 'ENOENT' });
    const { status, stderr } = runStep(begin, to, { SIGNING_KEY: readFileSync(key, 'utf8') });
    assert.equal(status, 0, stderr);
    assert.deepEqual(readFileSync(join(to, 'SHA256SUMS.sig')), readFileSync(join(output, 'SHA256SUMS.sig')));
  });
});
