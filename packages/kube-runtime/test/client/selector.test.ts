import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type LabelSelector, matchesSelector, selectorToString } from '../../src/objects/selector.ts';
import { parseSelector } from '../../src/objects/selectorText.ts';
import { propertyRuns } from '../../testing/propertyRuns.ts';
import { selectors } from '../../testing/selectors.ts';

const { labels, selector } = selectors(
  ['app', 'role', 'garden.cloud/role', 'constructor', 'toString'],
  ['', 'a', 'b', 'c-1'],
);

/** The text form, parsed and applied as in apimachinery's labels.Parse and Requirement.Matches. */
function matchesText(text: string, given: Readonly<Record<string, string>>): boolean {
  return text
    .split(/,(?![^(]*\))/)
    .filter(Boolean)
    .every((part) => {
      const has = (name: string) => Object.hasOwn(given, name);
      const set = /^(\S+) (in|notin) \((.*)\)$/.exec(part);
      if (set !== null) {
        const [, name = '', operator, list = ''] = set;
        const isIn = has(name) && list.split(',').includes(given[name] ?? '');
        return operator === 'in' ? isIn : !isIn;
      }
      const equality = /^([^!=]+)(!?=)(.*)$/.exec(part);
      if (equality !== null) {
        const [, name = '', operator, expected] = equality;
        const isEqual = has(name) && given[name] === expected;
        return operator === '=' ? isEqual : !isEqual;
      }
      return part.startsWith('!') ? !has(part.slice(1)) : has(part);
    });
}

test('the text of a selector has the meaning of the selector', () => {
  fc.assert(
    fc.property(selector, labels, (sel, given) => {
      assert.equal(matchesSelector(sel, given), matchesText(selectorToString(sel), given));
    }),
    propertyRuns(3_000),
  );
});

test('the order and repetition of conditions and values do not change the text', () => {
  fc.assert(
    fc.property(selector, (sel) => {
      const turned: LabelSelector = {
        matchLabels: Object.fromEntries(Object.entries(sel.matchLabels ?? {}).reverse()),
        matchExpressions: [...(sel.matchExpressions ?? []), ...(sel.matchExpressions ?? [])]
          .map((each) => ({ ...each, values: [...(each.values ?? []), ...(each.values ?? [])].reverse() }))
          .reverse(),
      };
      assert.equal(selectorToString(turned), selectorToString(sel));
    }),
  );
});

test('the selectors of the original config have the texts that kubectl accepts', () => {
  const roles: LabelSelector = {
    matchExpressions: [
      { key: 'role', operator: 'In', values: ['scheduler', 'apiserver'] },
      { key: 'gardener.cloud/role', operator: 'In', values: ['controlplane'] },
      { key: 'x', operator: 'DoesNotExist' },
      { key: 'y', operator: 'NotIn', values: ['b', 'a'] },
      { key: 'z', operator: 'NotIn', values: ['b'] },
    ],
  };
  assert.equal(
    selectorToString(roles),
    '!x,gardener.cloud/role=controlplane,role in (apiserver,scheduler),y notin (a,b),z!=b',
  );
  assert.equal(selectorToString({}), '');
  assert.equal(matchesSelector(roles, { role: 'apiserver', 'gardener.cloud/role': 'controlplane' }), true);
  assert.equal(
    matchesSelector({ matchExpressions: [{ key: 'y', operator: 'NotIn', values: ['a'] }] }, undefined),
    true,
  );
});

test('a selector that is read from its text selects the same labels', () => {
  fc.assert(
    fc.property(selector, labels, (given, set) => {
      const text = selectorToString(given);
      const read = parseSelector(text);
      // A list without values can only be written as a contradiction, and an empty selector has no text.
      if (text === '') assert.ok(!read.ok);
      else assert.ok(read.ok && matchesSelector(read.value, set) === matchesSelector(given, set), text);
    }),
    propertyRuns(2000),
  );
});

test('a selector is read as kubectl reads it', () => {
  const cases: readonly (readonly [string, LabelSelector['matchExpressions']])[] = [
    ['team=shop', [{ key: 'team', operator: 'In', values: ['shop'] }]],
    ['team==shop', [{ key: 'team', operator: 'In', values: ['shop'] }]],
    ['team=', [{ key: 'team', operator: 'In', values: [''] }]],
    [' env != dev ', [{ key: 'env', operator: 'NotIn', values: ['dev'] }]],
    ['tier in (web, api)', [{ key: 'tier', operator: 'In', values: ['web', 'api'] }]],
    ['example.com/tier notin (web)', [{ key: 'example.com/tier', operator: 'NotIn', values: ['web'] }]],
    [
      'owner,!legacy',
      [
        { key: 'owner', operator: 'Exists' },
        { key: 'legacy', operator: 'DoesNotExist' },
      ],
    ],
  ];
  for (const [text, matchExpressions] of cases)
    assert.deepEqual(parseSelector(text), { ok: true, value: { matchExpressions } }, text);
});

test('a selector that cannot be read is refused in one clause', () => {
  const expected = 'expected conditions on labels such as team=shop, env!=dev, tier in (web,api), owner or !legacy';
  for (const [text, part] of [
    ['', ''],
    ['a=b,', ''],
    ['a in b', 'a in b'],
    ['a in (b', 'a in (b'],
    ['a=b=c', 'a=b=c'],
    ['a b', 'a b'],
  ] as const) {
    const read = parseSelector(text);
    assert.equal(!read.ok && read.error, `found "${part}", ${expected}`, text);
  }
  for (const text of ['-a=b', 'a>1', 'a=b c', 'a=-b', 'a in (b,-c)', 'a=ü'])
    assert.equal(parseSelector(text).ok, false, text);
});
