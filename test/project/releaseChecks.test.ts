import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import { checkCandidate } from '../../scripts/release/checks.ts';

const dated = '# Changelog\n\n## 1.2.3 - 2026-01-31\n\n## 1.2.2 - 2025-12-31\n';

/** A clone with one commit. */
function clone(t: TestContext, changelog = dated) {
  const checkout = mkdtempSync(join(tmpdir(), 'weeder-clone-'));
  t.after(() => rmSync(checkout, { recursive: true }));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout, stdio: 'ignore' });
  const write = (text: string) => writeFileSync(join(checkout, 'CHANGELOG.md'), text);
  const commit = () => {
    git('add', '--all');
    git('-c', 'user.name=test', '-c', 'user.email=test@example.org', 'commit', '--message=Change');
  };
  git('init');
  write(changelog);
  commit();
  const check =
    (version: string, draft = false) =>
    () =>
      checkCandidate({ checkout, version, draft });
  return { git, write, commit, check };
}

test('a commit with a dated section may be released, without a tag or with its own', (t) => {
  const { git, check } = clone(t);
  check('1.2.3')();
  git('tag', 'v1.2.3');
  check('1.2.3')();
});

test('a version without a section in the changelog is refused, also as a draft', (t) => {
  const { check } = clone(t);
  const sentence = { message: 'CHANGELOG.md has no section of this version: add "## 1.2.4 - DATE".' };
  assert.throws(check('1.2.4'), sentence);
  assert.throws(check('1.2.4', true), sentence);
  assert.throws(check('1.2'), /no section/);
});

test('a section without a date is a draft', (t) => {
  const { check } = clone(t, '## 1.2.3 - unreleased\n');
  const message = '"## 1.2.3 - unreleased" in CHANGELOG.md has no date such as 2026-01-31; --draft does without.';
  assert.throws(check('1.2.3'), { message });
  check('1.2.3', true)();
});

test('a work tree with changes is a draft', (t) => {
  const { write, check } = clone(t);
  write(`${dated}\n## 1.2.1 - 2025-11-30\n`);
  const message =
    'The work tree differs from the commit ("M CHANGELOG.md"): commit or remove it; --draft does without.';
  assert.throws(check('1.2.3'), { message });
  check('1.2.3', true)();
});

test('a version whose tag is another commit is refused', (t) => {
  const { git, write, commit, check } = clone(t);
  git('tag', 'v1.2.3');
  write(`${dated}\n`);
  commit();
  const message = 'The tag v1.2.3 is another commit: check it out, or raise the version in package.json.';
  assert.throws(check('1.2.3'), { message });
});

test('the changelog of weeder has a section of the version in package.json', () => {
  const checkout = fileURLToPath(new URL('../..', import.meta.url));
  checkCandidate({ checkout, version: packageJson.version, draft: true });
});
