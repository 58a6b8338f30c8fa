import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type LabelSelector, matchesSelector, selectorToString } from '../../src/objects/selector.ts';
import { createSelectorIndex } from '../../src/objects/selectorIndex.ts';
import { propertyRuns } from '../../testing/propertyRuns.ts';
import { selectors as anySelectors } from '../../testing/selectors.ts';

const { labels, selector } = anySelectors(['app', 'role', 'constructor', '__proto__'], ['', 'a', 'b', 'c-1']);

function byText(selectors: readonly LabelSelector[]): ReadonlyMap<string, LabelSelector> {
  return new Map(selectors.map((each) => [selectorToString(each), each]));
}

/** The texts of the selectors that select these labels. */
function matchingTexts(selectors: readonly LabelSelector[], given: Readonly<Record<string, string>>): string[] {
  return createSelectorIndex(byText(selectors))
    .matching(given)
    .map(({ text }) => text);
}

test('the index finds the selectors that a comparison with each of them finds, in their order', () => {
  fc.assert(
    fc.property(fc.array(selector, { maxLength: 20 }), labels, (selectors, given) => {
      const compared = [...byText(selectors)].filter(([, each]) => matchesSelector(each, given)).map(([text]) => text);
      assert.deepEqual(matchingTexts(selectors, given), compared);
    }),
    propertyRuns(2000),
  );
});

test('selectors without a required label are found: empty ones, NotIn and DoesNotExist', () => {
  const negative: LabelSelector[] = [
    {},
    { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['a'] }] },
    { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] },
  ];
  assert.deepEqual(matchingTexts(negative, {}), ['', 'app!=a', '!app']);
  assert.deepEqual(matchingTexts(negative, { app: 'a' }), ['']);
  assert.deepEqual(matchingTexts(negative, { app: 'b' }), ['', 'app!=a']);
});

test('a selector with In and no values selects nothing, and one with Exists any value', () => {
  const none: LabelSelector = { matchExpressions: [{ key: 'app', operator: 'In', values: [] }] };
  const some: LabelSelector = { matchExpressions: [{ key: 'app', operator: 'Exists' }] };
  for (const given of [{}, { app: '' }, { app: 'a' }])
    assert.deepEqual(matchingTexts([none, some], given), 'app' in given ? ['app'] : []);
});

test('a lookup compares few of ten thousand selectors that share a label', () => {
  let compared = 0;
  const counted = (app: string): LabelSelector => ({
    matchLabels: { 'managed-by': 'helm', app },
    get matchExpressions() {
      compared += 1;
      return [];
    },
  });
  const index = createSelectorIndex(
    new Map(Array.from({ length: 10_000 }, (_, each) => [`${each}`, counted(`app-${each}`)])),
  );
  compared = 0;
  assert.deepEqual(
    index.matching({ 'managed-by': 'helm', app: 'app-77', tier: 'back' }).map(({ text }) => text),
    ['77'],
  );
  assert.equal(compared, 1);
});
