import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns a function that returns the violations of the rules of axe in what is shown, as `rule: element`. */
export async function axeOf(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(axe);
  return () =>
    page.evaluate<string[]>(
      `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
    );
}
