import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textsIn } from '../support/sources.ts';

const owner = 'packages/kube-runtime/src/objects/apiPath.ts';
/** What encodes something else than a path. */
const others = new Set(['packages/kube-runtime/src/access/clusterAccess.ts']);
/** A text with a value in it that is the path of an API, or a part of one. */
const builtPath = /`(?:\/apis?\/[^`]*\$\{|[^`]*\/(?:namespaces|pods|configmaps|secrets|events|leases)\/\$\{)/;
const encoding = /encodeURI(?:Component)?\(/;

/** The places that build a path of the API, as `file:line`. Comments do not count. */
function buildersIn(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => {
      const isCode = !/^\s*(?:\*|\/\*|\/\/)/.test(line);
      return isCode && (builtPath.test(line) || encoding.test(line)) ? [`${file}:${index + 1}`] : [];
    }),
  );
}

test('paths of the API are built in one place, which encodes each part', () => {
  const files = new Map([...textsIn('src/**/*.ts'), ...textsIn('packages/kube-runtime/src/**/*.ts')]);
  const builders = buildersIn(files).filter((place) => !others.has(place.replace(/:\d+$/, '')));
  assert.deepEqual([...new Set(builders.map((place) => place.replace(/:\d+$/, '')))], [owner], builders.join());
});

test('a path that is built elsewhere is found', () => {
  const value = '$';
  for (const line of [
    `const path = \`/api/v1/namespaces/${value}{namespace}/pods/${value}{name}\`;`,
    `const path = \`${value}{root}/namespaces/${value}{namespace}/things\`;`,
    'return collection + encodeURIComponent(name);',
  ])
    assert.deepEqual(buildersIn(new Map([['a.ts', `// one\n${line}`]])), ['a.ts:2'], line);
  for (const line of [`/** \`/api/v1/pods/${value}{name}\` */`, `const key = \`shop/${value}{name}\`;`])
    assert.deepEqual(buildersIn(new Map([['a.ts', line]])), [], line);
});
