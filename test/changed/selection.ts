import { dirname, matchesGlob } from 'node:path';
import { type References, referencesOf } from './references.ts';

/** The test files that reach changed files, and the changed files that none reaches. */
export interface Selection {
  /** Each changed file's nearest test comes first, then each one's second, and so on. */
  readonly tests: readonly string[];
  readonly unreached: readonly string[];
}

/**
 * `sources`: the texts of all files of code. A test is the nearer the fewer files are between it and the changed one; of
 * two that are equally near, the one that loads fewer files comes first: it says more about this file, and sooner.
 */
export function select(
  sources: ReadonlyMap<string, string>,
  entries: ReadonlyMap<string, string>,
  changed: readonly string[],
): Selection {
  const references = new Map([...sources].map(([file, text]) => [file, referencesOf(file, text, entries)] as const));
  const readers = readersIn(references);
  const sizes = new Map<string, number>();
  const sizeOf = (test: string): number => sizes.getOrInsertComputed(test, () => loadedBy(test, references));
  const lists = changed.map((file) => {
    const next = (each: string) => [
      ...(readers.get(each) ?? []),
      ...(each === file ? wider(file, references, readers) : []),
    ];
    const tests = [...walk(file, next)].filter(([each]) => sources.has(each) && isTest(each));
    return tests.sort(([a, near], [b, far]) => near - far || sizeOf(a) - sizeOf(b)).map(([test]) => test);
  });
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const ranks = Array.from({ length: longest }, (_, rank) => lists.flatMap((list) => list[rank] ?? []));
  return { tests: [...new Set(ranks.flat())], unreached: changed.filter((_, index) => lists[index]?.length === 0) };
}

function isTest(file: string): boolean {
  return /^(?:test|packages\/[\w-]+\/test)\/.*\.test\.ts$/.test(file);
}

function readersIn(references: ReadonlyMap<string, References>): ReadonlyMap<string, readonly string[]> {
  const pairs = [...references].flatMap(([file, { paths }]) => [...paths].map((path) => ({ path, file })));
  const grouped = Map.groupBy(pairs, ({ path }) => path);
  return new Map([...grouped].map(([path, group]) => [path, group.map(({ file }) => file)]));
}

/**
 * The files that read the changed one as one of many: by a folder or a pattern. Of code, only the tests that have the
 * pattern: the bundle, too, is made of all of `src`, but who starts it also imports what is in it.
 */
function wider(
  changed: string,
  references: ReadonlyMap<string, References>,
  readers: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const isCode = references.has(changed);
  const found = [...references].flatMap(([file, { patterns }]) =>
    (!isCode || isTest(file)) && patterns.some((pattern) => matchesGlob(changed, pattern)) ? file : [],
  );
  if (isCode) return found;
  for (let folder = dirname(changed); folder !== '.'; folder = dirname(folder))
    found.push(...(readers.get(folder) ?? []));
  return found;
}

function loadedBy(test: string, references: ReadonlyMap<string, References>): number {
  return walk(test, (file) => [...(references.get(file)?.paths ?? [])].filter((path) => references.has(path))).size;
}

/** Every file that can be reached from this one, by its distance. */
function walk(from: string, next: (file: string) => readonly string[]): ReadonlyMap<string, number> {
  const distances = new Map([[from, 0]]);
  // The loop also visits what it adds.
  for (const [file, distance] of distances) {
    for (const each of next(file)) if (!distances.has(each)) distances.set(each, distance + 1);
  }
  return distances;
}
