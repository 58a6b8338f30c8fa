import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = globSync(['*.md', '{docs,deploy,visualizations,test}/**/*.md', 'packages/*/*.md'], { cwd: root });

/** The text of a page without its code, in which a comment is not a heading and brackets are not links. */
const textOf = (page: string) => readFileSync(join(root, page), 'utf8').replaceAll(/^ *```[\s\S]*?^ *```/gm, '');

/** The anchors that GitHub generates from the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const headings = textOf(page).matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .trim()
        .toLowerCase()
        .replace(/\[(.*?)\]\(.*?\)/g, '$1')
        .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function isBroken(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(root, target))) return true;
  return anchor !== undefined && !anchorsOf(target).has(anchor);
}

test('links between the pages of the docs lead to files and headings that exist', () => {
  const links = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ page, link })),
  );
  const local = links.filter(({ link }) => !/^(https?|mailto):/.test(link));
  assert.ok(local.length > 200, `${local.length} links`);
  assert.deepEqual(
    local.filter(({ page, link }) => isBroken(page, link)),
    [],
  );
  assert.ok(!isBroken('README.md', 'docs/explanation/concepts.md#windows'));
  assert.ok(
    isBroken('README.md', 'docs/concept.md') && isBroken('README.md', 'docs/explanation/concepts.md#no-such-heading'),
  );
});
