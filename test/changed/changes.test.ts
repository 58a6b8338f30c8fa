import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Problem } from '../../scripts/problem.ts';
import { changedFiles, readOptions } from './changes.ts';

const folder = mkdtempSync(join(tmpdir(), 'weeder-changed-'));
after(() => rmSync(folder, { recursive: true }));
// A hook of git sets them for the repository in which it runs.
for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) delete process.env[name];
const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'commit.gpgsign=false'];
const git = (...args: readonly string[]) => execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'pipe' });
const write = (name: string) => writeFileSync(join(folder, name), `${Math.random()}`);
const changed = (...args: readonly string[]) => changedFiles(folder, readOptions(args));

function commit(...names: readonly string[]): void {
  for (const name of names) write(name);
  git('add', '.');
  git('commit', '--quiet', '--message', 'x');
}

git('init', '--quiet', '--initial-branch', 'main');
writeFileSync(join(folder, '.gitignore'), 'ignored\n');
commit('same', 'edited', 'deleted', 'committed');

test('changed is what differs from the last commit or, with --base, from where that revision was left', () => {
  assert.deepEqual(changed(), []);
  git('switch', '--quiet', '--create', 'topic');
  commit('committed');
  git('switch', '--quiet', 'main');
  commit('same');
  git('switch', '--quiet', 'topic');
  for (const name of ['edited', 'ä new', 'ignored']) write(name);
  rmSync(join(folder, 'deleted'));
  assert.deepEqual(changed(), ['deleted', 'edited', 'ä new']);
  assert.deepEqual(changed('--base', 'main'), ['committed', 'deleted', 'edited', 'ä new']);
});

test('given files are the changed ones, whether they differ or not, and a folder is all its files', () => {
  assert.deepEqual(changed('same', '--all', 'same'), ['same']);
  assert.ok(changed('.').includes('committed') && !changed('.').includes('ignored'));
});

const refused = {
  'The repository has no file none.ts.': ['same', 'none.ts'],
  'The revision none does not exist, or shares no commit with HEAD.': ['--base', 'none'],
  'The revision --all does not exist, or shares no commit with HEAD.': ['--base=--all'],
  'Give either files or --base, not both.': ['same', '--base', 'main'],
  "Unknown option '--foo': the arguments are files, or --base with a revision, and --all.": ['--foo'],
};
for (const [message, args] of Object.entries(refused)) {
  test(`${args.join(' ')} is refused in one sentence`, () => {
    assert.throws(
      () => changed(...args),
      (error) => error instanceof Problem && error.message === message,
    );
  });
}

test('the command ends with the exit code 1 and the sentence alone', () => {
  const program = join(import.meta.dirname, 'run.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'none.ts'], { encoding: 'utf8' });
  assert.deepEqual([status, stdout, stderr], [1, '', 'The repository has no file none.ts.\n']);
});
