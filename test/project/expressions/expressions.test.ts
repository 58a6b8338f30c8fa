import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { textsIn } from '../../support/sources.ts';
import { type Expression, expressionsIn } from './expressionsIn.ts';
import { madeExpressions } from './madeExpressions.ts';
import { superLinear } from './superLinear.ts';

const sources = [...textsIn('{src,machines,packages/*/{src,machines,protocol}}/**/*.ts')]
  .filter(([, text]) => text.includes('/') || text.includes('RegExp'))
  .map(([file, text]) => ({ file, ...expressionsIn(file, text) }));

/** The expressions that are made later than their files are loaded, and why they need no check. */
const madeLater: Readonly<Record<string, string>> = {
  'packages/embedded-cluster/src/apiserver/crd/schemaErrors.ts':
    'the pattern is of a CRD, which the demo or a test brings',
  'src/cli/data/printData.ts': 'a copy of an expression that is checked',
  'src/cli/status/numbers.ts': 'the name is that of a label of a metric of weeder',
};

function complaints(expressions: readonly Expression[]): readonly string[] {
  return expressions.flatMap(({ place, source, flags }) => {
    const attack = superLinear(source, flags);
    if (attack === undefined) return [];
    const { start, repeated } = attack;
    return `${place}: /${source}/${flags} takes steps in proportion to the square of the text or worse, for example on ${JSON.stringify(start)} and then ${JSON.stringify(repeated)} many times.`;
  });
}

suite('the steps of every regular expression are in proportion to the text', () => {
  test('of the literals', () => {
    const literals = sources.flatMap((each) => each.literals);
    assert.ok(literals.length > 250);
    assert.deepEqual(complaints(literals), []);
  });

  test('of those that are made of texts', async () => {
    const files = sources.filter(({ file, made }) => made.length > 0 && !(file in madeLater)).map(({ file }) => file);
    const made = await madeExpressions(files);
    const places = new Set(made.map(({ place }) => place));
    const unseen = sources
      .flatMap((each) => (each.file in madeLater ? [] : each.made))
      .filter((each) => !places.has(each));
    assert.deepEqual(
      unseen,
      [],
      'these are not made when their files are loaded: say in the table why they need no check',
    );
    assert.ok(made.length > 8);
    assert.deepEqual(complaints(made), []);
  });
});

suite('the check', () => {
  const superLinearOnes: readonly RegExp[] = [
    // Tried again from each character.
    /\S*\/\S*/,
    /0+$/,
    /,(?![^(]*\))/,
    /, got .*$/,
    /\bstatus\b.*: 5\d\d$/,
    /"[^"\\]*(?:\\.[^"\\]*)*"/,
    /(?<=a)a+$/,
    /(?=.*x)y/,
    // Two ways to divide a text.
    /:v?(\d+\.\d+\.\d+[\w.+-]*)(?:@|$)/,
    /^(.*?) (?:ok|failed)(?:: (.*))?$/,
    /^(\d*)\.?(\d*)$/,
    /^(?:a|b)*c?(?:ab)*$/,
    /^a*(?:b?a*c)$/,
    // Exponential.
    /^(?:a+)+$/,
    /^(?:a|a)*$/,
    /^(?:ab|a|b)*$/,
    /^(?:\w+\s?)*$/u,
  ];
  const linearOnes: readonly RegExp[] = [
    /(?<!0)0+$/,
    /"[^"]*"|[^\s"]+/g,
    /"[^"\\]*(?:\\.[^"\\]*)*"?/gs,
    /^(\d*)(?:\.(\d*))?$/,
    /^[^=]*=(.*)$/,
    /0+$/y,
    /\bkubectl\s[^;|&\n]{0,200}\swait/,
    /^(?=[^/]{1,253}\/)[a-z]+\/\w+$/,
    /failed calling webhook "([^"]+)"/,
  ];

  test('finds those with more steps, and a text on which they take them', () => {
    const missed = superLinearOnes.filter(({ source, flags }) => superLinear(source, flags) === undefined);
    assert.deepEqual(missed, []);
    assert.deepEqual(superLinear('^x(a|b)*c?(?:ab)*$', ''), { start: 'xa', repeated: 'ba' });
    assert.deepEqual(superLinear(', got .*$', ''), { start: '', repeated: ', got ~' });
  });

  test('accepts those whose steps are in proportion to the text', () => {
    const refused = linearOnes.filter(({ source, flags }) => superLinear(source, flags) !== undefined);
    assert.deepEqual(refused, []);
  });
});
