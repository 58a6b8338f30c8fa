import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem, run } from '../problem.ts';

/** A version in a checkout. */
export interface Candidate {
  readonly checkout: string;
  readonly version: string;
  /** A trial: files may differ from the commit, and the changelog needs no date. */
  readonly draft: boolean;
}

/** Throws a Problem unless this commit may become the release of the version. */
export function checkCandidate(candidate: Candidate): void {
  checkChangelog(candidate);
  if (candidate.draft) return;
  checkTree(candidate);
  checkTag(candidate);
}

function checkChangelog({ checkout, version, draft }: Candidate): void {
  const headings = readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8').match(/^## .*$/gm) ?? [];
  const heading = headings.find((each) => each.startsWith(`## ${version} - `));
  if (heading === undefined) {
    throw new Problem(`CHANGELOG.md has no section of this version: add "## ${version} - DATE".`);
  }
  if (!draft && !/ \d{4}-\d{2}-\d{2}$/.test(heading)) {
    throw new Problem(`"${heading}" in CHANGELOG.md has no date such as 2026-01-31; --draft does without.`);
  }
}

function checkTree({ checkout }: Candidate): void {
  const [first] = git(checkout, 'status', '--porcelain').split('\n');
  if (first === undefined || first === '') return;
  throw new Problem(
    `The work tree differs from the commit ("${first.trim()}"): commit or remove it; --draft does without.`,
  );
}

function checkTag({ checkout, version }: Candidate): void {
  const tag = `v${version}`;
  if (git(checkout, 'tag', '--list', tag) === '') return;
  const [tagged, head] = [`${tag}^{commit}`, 'HEAD'].map((name) => git(checkout, 'rev-parse', name));
  if (tagged !== head) {
    throw new Problem(`The tag ${tag} is another commit: check it out, or raise the version in package.json.`);
  }
}

function git(checkout: string, ...args: string[]): string {
  return run('git', args, 'a release is built from a clone; --draft does without.', checkout).toString();
}
