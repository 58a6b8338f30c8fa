import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { checkout } from '../../support/cache.ts';
import { textsIn } from '../../support/sources.ts';
import { type Job, stepsOf, type Workflow } from './workflow.ts';

const texts = textsIn('.github/workflows/*.yml');
const workflows = [...texts].map(([file, text]): readonly [string, Workflow] => [file, parse(text)]);
const jobs = workflows.flatMap(([file, { jobs: all }]) =>
  Object.entries(all).map(([name, job]) => ({ place: `${file}, job ${name}`, job })),
);
const publishing = '.github/workflows/release.yml, job publish';

/** True if a job may write, or get a token for another service. */
function mayWrite({ permissions = {} }: Job): boolean {
  return permissions === 'write-all' || Object.values(permissions).includes('write');
}

suite('the workflows', () => {
  test('use actions by the full digest of a commit, with the version in a comment', () => {
    const uses = [...texts].flatMap(([file, text]) =>
      [...text.matchAll(/\buses:(.*)$/gm)].map(([, what]) => ({ file, what })),
    );
    const pinned = /^ [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    assert.ok(uses.length > 15);
    assert.deepEqual(
      uses.filter(({ what = '' }) => !pinned.test(what)),
      [],
    );
  });

  test('use one commit of each action', () => {
    const used = [...texts.values()].flatMap((text) => text.match(/(?<=\buses: )\S+@\S+ # \S+/g) ?? []);
    const byAction = Map.groupBy(new Set(used), (each) => each.split('@')[0]);
    assert.deepEqual(
      [...byAction.values()].filter((each) => each.length > 1),
      [],
    );
  });

  test('may read the sources and nothing else, but for the job that publishes', () => {
    for (const [file, { permissions }] of workflows) assert.deepEqual(permissions, { contents: 'read' }, file);
    assert.deepEqual(
      jobs.filter(({ job }) => mayWrite(job)).map(({ place }) => place),
      [publishing],
    );
  });

  test('leave no token in the clone', () => {
    const clones = jobs.flatMap(({ place, job }) =>
      stepsOf(job)
        .filter(({ uses = '' }) => uses.startsWith('actions/checkout@'))
        .map((step) => ({ place, step })),
    );
    assert.ok(clones.length > 5);
    for (const { place, step } of clones) assert.equal(step.with?.['persist-credentials'], false, place);
  });

  test('name secrets only in the publishing job, and each in the environment of the steps that need it', () => {
    for (const { place, job } of jobs) {
      const { steps, ...rest } = job;
      assert.doesNotMatch(JSON.stringify(rest), /secrets\.|github\.token/, place);
      if (place !== publishing) assert.doesNotMatch(JSON.stringify(steps), /secrets\.|github\.token/, place);
    }
    const { job } = jobs.find(({ place }) => place === publishing) ?? assert.fail();
    const holders = stepsOf(job).filter((step) => /secrets\./.test(JSON.stringify(step)));
    assert.equal(holders.length, 1);
    assert.match(JSON.stringify(holders[0]?.env), /^\{"SIGNING_KEY":"\$\{\{ secrets\.SIGNING_KEY \}\}"\}$/);
    assert.match(holders[0]?.run ?? '', /openssl pkeyutl -sign/);
  });
});

test('npm reports known vulnerabilities', () => {
  assert.doesNotMatch(readFileSync(join(checkout, '.npmrc'), 'utf8'), /^audit\s*=\s*false/m);
});

test('the bot for updates knows the actions, the packages, and each Go module', () => {
  const { updates } = parse(readFileSync(join(checkout, '.github/dependabot.yml'), 'utf8'));
  const folders = (kind: string): string[] =>
    updates.flatMap((each: { 'package-ecosystem': string; directory?: string; directories?: string[] }) =>
      each['package-ecosystem'] === kind ? (each.directories ?? [each.directory ?? '']) : [],
    );
  assert.deepEqual([folders('github-actions'), folders('npm')], [['/'], ['/']]);
  const modules = globSync('{test,bench}/**/go.mod', { cwd: checkout }).map((file) => `/${dirname(file)}`);
  assert.ok(modules.length > 8);
  assert.deepEqual(folders('gomod').sort(), modules.sort());
});
