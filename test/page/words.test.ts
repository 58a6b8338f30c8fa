import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applicationScene, dependencyScene, scene, workloadScene } from '@weeder/live-page/scenes';
import { openPage } from './support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);

/**
 * In the page: the words of tables, of letters alone, that are broken over several lines. Names of objects and paths of
 * fields may be broken.
 */
const brokenWords = `[...document.querySelectorAll('main table :is(th, td)')].flatMap((cell) => {
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    for (const { 0: word, index } of node.data.matchAll(/(?<![^\\s])[A-Za-z.]+(?![^\\s])/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word);
    }
  }
  return broken;
})`;

for (const [view, seen] of [
  ['services', '.state'],
  ['workloads', '#workloads .state'],
  ['applications', '.difference'],
  ['timeline', '#moments tr'],
] as const) {
  for (const width of [1_280, 900, 700]) {
    test(`at ${width} pixels no word is broken in the columns of the ${view}`, async (t) => {
      const { page } = await openPage(
        t,
        (server) => {
          server.greeting = scene(now);
          server.workloads = workloadScene(now);
          server.applications = applicationScene(now);
        },
        { path: `/#${view}` },
      );
      await page.setViewportSize({ width, height: 800 });
      await page.locator(seen).first().waitFor();
      assert.deepEqual(await page.evaluate(brokenWords), []);
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(wide) <= 0, `the page is ${wide} px too wide`);
    });
  }
}

for (const [view, seen] of [
  ['services', '.state'],
  ['dependencies', '.detail'],
  ['workloads', '.state'],
  ['applications', '.difference'],
  ['timeline', '#moments tr'],
] as const) {
  test(`the ${view} are in words, without ids of states and events`, async (t) => {
    const { page } = await openPage(
      t,
      (server) => {
        server.greeting = scene(now);
        server.dependencies = dependencyScene(now);
        server.workloads = workloadScene(now);
        server.applications = applicationScene(now);
      },
      { path: `/#${view}` },
    );
    await page.locator(`#${view}`).locator(seen).first().waitFor();
    const text = await page.locator(`#${view}`).innerText();
    const ids = /\w › \w|\b(?:service|window|pod|deletion|workload|application|resource|config|leadership)\.[a-z]\w+/g;
    assert.deepEqual(text.match(ids) ?? [], []);
  });
}
