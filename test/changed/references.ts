import { dirname, join } from 'node:path';
import { withoutTypes } from '../support/sources.ts';

/** What a file of code names: paths from the root of the repository, which need not exist, and patterns of them. */
export interface References {
  readonly paths: ReadonlySet<string>;
  readonly patterns: readonly string[];
}

const comments = /^\s*(?:\/\*|\*|\/\/).*$/gm;
/** A string without spaces, up to the first value in a template, and without a value at its begin. */
const strings = /(?<=['"`])(?:\$\{\w+\}\/)?([\w@.,*{}[\]/-]+)(['"`]|\$\{)/g;
/** `join(folder, 'a', 'b.ts')` names what `join(folder, 'a/b.ts')` names. */
const joins = /\bjoin\([^()]*\)/g;

/**
 * Every import is the string of a path, and so is what a test forks, runs or reads: all count alike, each from the folder
 * of the file and from the root. `entries` has the files behind the names of packages.
 */
export function referencesOf(file: string, text: string, entries: ReadonlyMap<string, string>): References {
  const code = withoutTypes(text)
    .replace(comments, '')
    .replace(joins, (call) => call.replace(/',\s*'/g, '/'));
  const names = [...code.matchAll(strings)].map(([, name = '', end]) => (end === '${' ? folderOf(name) : name));
  const exact = names.filter((name) => /[./]/.test(name) && !/[*{}]/.test(name));
  const paths = exact.flatMap((name) => entries.get(name) ?? [join(name), join(dirname(file), name)]);
  const folders = paths.filter((path) => path.endsWith('/'));
  const inFolders = exact
    .filter((name) => !name.includes('/'))
    .flatMap((name) => folders.map((each) => join(each, name)));
  return {
    paths: new Set([...paths, ...inFolders].map((path) => path.replace(/\/$/, ''))),
    // Those that begin with a star are for a folder that is not in the string, except the pages in the root.
    patterns: names.filter((name) => /[*{]/.test(name) && (/^[^*]/.test(name) || name === '*.md')),
  };
}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}
