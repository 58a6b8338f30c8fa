import assert from 'node:assert/strict';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { entries, textsIn } from '../support/sources.ts';

const texts = textsIn('{src,machines,packages,test,bench,visualizations,scripts}/**/*.{ts,js}');

const lists = [
  /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'([^']*)'/g,
  /\{([^{}]*)\}(?::[^=;]*)?\s*=\s*await import\(\s*'([^']*)'\s*\)/g,
];

/** `file name`, for each name that some file imports from another. */
function importedNames(): ReadonlySet<string> {
  const importNames = [...texts].flatMap(([file, text]) =>
    lists.flatMap((list) =>
      [...text.matchAll(list)].flatMap(([, names = '', from = '']) => {
        const target = entries.get(from) ?? normalize(join(dirname(file), from));
        return names.split(',').map(
          (name) =>
            `${target} ${
              name
                .trim()
                .replace(/^type /, '')
                .split(/\s|:/)[0]
            }`,
        );
      }),
    ),
  );
  return new Set(importNames);
}

test('every export is imported somewhere', () => {
  const imported = importedNames();
  const declared = /^export (?:async )?(?:function\*? |const |let |interface |type |class )(\w+)/gm;
  const unused = [...texts].flatMap(([file, text]) =>
    /^(src|machines|packages\/[\w-]+\/(src|protocol))\//.test(file)
      ? [...text.matchAll(declared)].flatMap(([, name]) =>
          imported.has(`${file} ${name}`) ? [] : [`${file}: ${name}`],
        )
      : [],
  );
  assert.ok(imported.size > 1_000);
  assert.deepEqual(unused, []);
});
