import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { orProblem, Problem } from '../../scripts/problem.ts';

export interface Options {
  readonly files: readonly string[];
  /** A revision; undefined: the last commit. */
  readonly base: string | undefined;
  /** Run all tests that reach a changed file. */
  readonly all: boolean;
}

export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parsed(args);
  if (positionals.length > 0 && values.base !== undefined) throw new Problem('Give either files or --base, not both.');
  return { files: positionals, base: values.base, all: values.all };
}

function parsed(args: readonly string[]) {
  const options = { base: { type: 'string' }, all: { type: 'boolean', default: false } } as const;
  return orProblem(
    () => parseArgs({ args: [...args], allowPositionals: true, options }),
    (message) => `${message.split(/\.\s/)[0]}: the arguments are files, or --base with a revision, and --all.`,
  );
}

/** Returns the paths of the changed files, deleted ones included, from the root of the repository. */
export function changedFiles(repository: string, { files, base }: Options): readonly string[] {
  const git = (...args: string[]): readonly string[] | undefined => {
    const { status, stdout, error } = spawnSync('git', args, { cwd: repository, encoding: 'utf8' });
    if (error !== undefined) throw new Problem(`git cannot be run: ${error.message}.`);
    return status === 0 ? stdout.split('\0').filter((path) => path !== '') : undefined;
  };
  const listed = ['ls-files', '-z', '--others', '--exclude-standard'];
  if (files.length > 0) {
    const named = files.map((file) => {
      const found = git(...listed, '--cached', '--', file) ?? [];
      if (found.length === 0) throw new Problem(`The repository has no file ${file}.`);
      return found;
    });
    return [...new Set(named.flat())];
  }
  const from = base === undefined ? ['HEAD'] : ['--merge-base', base];
  const tracked = base?.startsWith('-') ? undefined : git('diff', '-z', '--name-only', '--no-renames', ...from, '--');
  if (tracked === undefined)
    throw new Problem(`The revision ${base ?? 'HEAD'} does not exist, or shares no commit with HEAD.`);
  return [...new Set([...tracked, ...(git(...listed) ?? [])])].sort();
}
