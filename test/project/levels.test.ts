import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import { controllerNames } from '../../src/controllers/controllers.ts';
import { packages } from '../support/packages.ts';
import { textsIn, withoutTypes } from '../support/sources.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/development/architecture.md'), 'utf8');
const levels = new Map(
  [...page.matchAll(/^\| (\d+) \| `([\w/]+)` \|/gm)].map(([, level, room]) => [room, Number(level)]),
);

interface Import {
  readonly from: string;
  /** A path from the root, or the name of a package. */
  readonly to: string;
}

const files = globSync('{src,machines}/**/*.ts', { cwd: root });
const imports = files.flatMap(importsOf);

/** Includes types and dynamic imports. */
function importsOf(from: string): Import[] {
  return namesIn(readFileSync(join(root, from), 'utf8')).map((name) => ({
    from,
    to: name.startsWith('.') ? relative(root, join(root, dirname(from), name)) : name,
  }));
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom |\bimport\(|^import )'([^']+)'/gm)].map(([, name = '']) => name);
}

/** The packages outside of this repository that the files load: not those of which they import only types. */
function packagesLoadedBy(pattern: string): string[] {
  const names = [...textsIn(pattern).values()]
    .flatMap((text) => namesIn(withoutTypes(text)))
    .flatMap((name) => (isBuiltin(name) ? [] : (/^(?:@[^/]+\/)?[^./][^/]*/.exec(name) ?? [])));
  return [...new Set(names)].filter((name) => !packages.some((own) => own.name === name)).sort();
}

/** The innermost room of the table that contains a file; undefined if none does. */
function roomOf(file: string): string | undefined {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) if (levels.has(folder)) return folder;
  return undefined;
}

const isInternal = ({ to }: Import) => /^(src|machines)\//.test(to);
const inWords = ({ from, to }: Import) => `${from} imports ${to}`;

test('every file lies in a room of the table, and every room exists', () => {
  assert.deepEqual(
    files.filter((file) => roomOf(file) === undefined),
    [],
  );
  assert.deepEqual(
    [...levels.keys()].filter((room) => !existsSync(join(root, String(room)))),
    [],
  );
});

test('every room is in one of the nine rooms of rooms with which the page begins', () => {
  const rows = [...page.matchAll(/^\| [a-z ]+ \| ((?:`[\w/]+`(?:, )?)+) \|/gm)].map(([, folders = '']) => folders);
  const listed = rows.flatMap((folders) => [...folders.matchAll(/`([\w/]+)`/g)].map(([, folder = '']) => folder));
  assert.equal(rows.length, 9);
  const outer = new Set([...levels.keys()].map((room = '') => /^(?:machines|src\/\w+)/.exec(room)?.[0] ?? room));
  assert.deepEqual(listed.toSorted(), [...outer].sort());
});

test('a folder has at most 20 source files', () => {
  const folders = '{src,machines,packages,test,bench,scripts}/**/*.ts';
  const sourceFiles = globSync(folders, { cwd: root, exclude: (path) => path.endsWith('node_modules') });
  const byFolder = Map.groupBy(sourceFiles, (file) => dirname(file));
  assert.ok(byFolder.size > 100);
  assert.deepEqual(
    [...byFolder].flatMap(([folder, own]) => (own.length > 20 ? `${folder}: ${own.length}` : [])),
    [],
  );
});

test('a room imports rooms of lower levels only', () => {
  const upwards = imports.filter(isInternal).filter(({ from, to }) => {
    const [room, other] = [roomOf(from), roomOf(to)];
    return room !== other && Number(levels.get(other)) >= Number(levels.get(room));
  });
  assert.deepEqual(upwards.map(inWords), []);
});

test('no file is part of an import cycle', () => {
  const inPackages = globSync('packages/*/*/**/*.ts', { cwd: root, exclude: ['**/node_modules/**'] });
  const next = Map.groupBy([...imports.filter(isInternal), ...inPackages.flatMap(importsOf)], ({ from }) => from);
  const state = new Map<string, 'open' | 'done'>();
  const circles: string[] = [];
  function visit(file: string, way: readonly string[]): void {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') return void circles.push([...way.slice(way.indexOf(file)), file].join(' > '));
    state.set(file, 'open');
    for (const { to } of next.get(file) ?? []) visit(to, [...way, file]);
    state.set(file, 'done');
  }
  for (const file of [...files, ...inPackages]) visit(file, []);
  assert.deepEqual(circles, []);
});

/** The controller in whose folder a file lies. */
const controllerOf = (path: string) => {
  const area = /^(?:src|machines)\/(\w+)\//.exec(path)?.[1];
  return controllerNames.find((name) => name === area);
};

test('the controllers do not import one another, and the config imports none of them', () => {
  const forbidden = imports.filter(isInternal).filter(({ from, to }) => {
    const [controller, other] = [controllerOf(from), controllerOf(to)];
    return other !== undefined && controller !== other && (controller !== undefined || from.startsWith('src/config/'));
  });
  assert.deepEqual(forbidden.map(inWords), []);
});

test('only the list of the controllers, and that of their machines, import from more than one controller', () => {
  const ofSeveral = [...Map.groupBy(imports.filter(isInternal), ({ from }) => from)].flatMap(([file, fileImports]) => {
    const named = new Set(fileImports.flatMap(({ to }) => controllerOf(to) ?? []));
    return named.size > 1 ? [[file, named.size] as const] : [];
  });
  const count = controllerNames.length;
  assert.deepEqual(ofSeveral.sort(), [
    ['src/controllers/controllers.ts', count],
    ['src/diagram/machines.ts', count],
  ]);
});

test('only @weeder/kube-runtime talks to the cluster, only the verb demo imports the demo, and nothing imports tests or benchmarks', () => {
  const forbidden = imports.filter(
    ({ from, to }) =>
      /^(@kubernetes\/client-node|undici)/.test(to) ||
      (to.startsWith('src/demo/') && !/^src\/(demo|cli\/demo)\//.test(from)) ||
      /^(test|bench)\//.test(to),
  );
  assert.deepEqual(forbidden.map(inWords), []);
});

/** By the name of a package, the packages that it imports, and the rooms that import it. */
const walls = new Map(
  [...page.matchAll(/^\| \[`packages\/([\w-]+)`\]\([^)]*\) \|([^|]*)\|([^|]*)\|/gm)].map(
    ([, name, imported = '', importers = '']) => [name, { imported: named(imported), importers: named(importers) }],
  ),
);

function named(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

test('every package is in the table of packages', () => {
  assert.deepEqual(
    [...walls.keys()].sort(),
    packages.map(({ folder }) => folder.replace('packages/', '')),
  );
});

for (const { folder, name, dependencies, peerDependencies, devDependencies } of packages) {
  const wall = () => walls.get(folder.replace('packages/', '')) ?? assert.fail(`no row for ${folder}`);
  const own = globSync(`${folder}/**/*.ts`, { cwd: root, exclude: ['**/node_modules/**'] }).flatMap(importsOf);
  const isForTools = (file: string) => /^packages\/[^/]+\/(test|conformance|scenes|build|layout)\//.test(file);

  test(`the rooms that the page names import ${name}, and by its name`, () => {
    const forbidden = imports.filter(
      ({ from, to }) =>
        to.startsWith(folder) ||
        ((to === name || to.startsWith(`${name}/`)) && !wall().importers.some((room) => from.startsWith(`${room}/`))),
    );
    const others = globSync('{test,bench,scripts}/**/*.ts', { cwd: root }).flatMap(importsOf);
    const within = others.filter(({ to }) => to.startsWith(`${folder}/`) && to.endsWith('.ts'));
    assert.deepEqual([...forbidden, ...within].map(inWords), []);
  });

  test(`${name} imports nothing of weeder, and of other packages those of its table`, () => {
    const allowed = [...Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies }), name];
    const isAllowed = (to: string) => allowed.some((each) => to === each || to.startsWith(`${each}/`));
    const forbidden = own.filter(({ to }) => !to.startsWith(`${folder}/`) && !isBuiltin(to) && !isAllowed(to));
    assert.ok(own.length > 20);
    assert.deepEqual(forbidden.map(inWords), []);
    const others = packages.filter((each) => each.name in dependencies).map((each) => each.folder);
    assert.deepEqual(others, wall().imported);
    const backwards = own.filter(({ from, to }) => !isForTools(from) && isForTools(to));
    assert.deepEqual(backwards.map(inWords), []);
  });

  test(`the dependencies of ${name} are the packages that its sources load`, () => {
    const outside = Object.keys(dependencies).filter((each) => !packages.some((known) => known.name === each));
    assert.deepEqual(packagesLoadedBy(`${folder}/{src,protocol,machines}/**/*.ts`), outside.sort());
  });
}

test('the dependencies of weeder are the packages that its sources, and those of its packages, load', () => {
  const { dependencies, optionalDependencies } = packageJson;
  const ofPackages = packages.flatMap((each) => Object.keys(each.dependencies));
  const loaded = [...packagesLoadedBy('{src,machines}/**/*.ts'), ...ofPackages];
  assert.deepEqual([...new Set(loaded)].sort(), Object.keys({ ...dependencies, ...optionalDependencies }).sort());
});

test('a machine imports XState and other machines', () => {
  const forbidden = imports.filter(
    ({ from, to }) => from.startsWith('machines/') && to !== 'xstate' && !to.startsWith('machines/'),
  );
  assert.deepEqual(forbidden.map(inWords), []);
});

test('every file that the page names exists', () => {
  const named = [...page.matchAll(/`((?:src|machines|test)\/[\w/]+\.ts)`/g)].map(([, file = '']) => file);
  assert.ok(named.length > 15);
  assert.deepEqual(
    named.filter((file) => !existsSync(join(root, file))),
    [],
  );
});
