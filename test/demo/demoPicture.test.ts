import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { terminalPicture } from '../page/support/pictures/terminalPicture.ts';

const control = '\u001B';
const output = [
  'A demo of a & b.',
  '',
  `t=   0.0s  etcd     ${control}[31mis down <all>${control}[39m`,
  `t=  36.0s  weeder   ${control}[36mdeletes web${control}[39m`,
  `t=  36.1s  cluster  ${control}[0mweb is created${control}[0m`,
  '',
  `  ${control}[1mdowntime${control}[22m`,
  '  web   1 m',
].join('\n');
const picture = terminalPicture('weeder demo', `${output}\n`);

/** When each step appears, as the share of the whole time. Per cent. */
function stepsOf(svg: string): number[] {
  return [...svg.matchAll(/@keyframes step-\d+\{0%\{opacity:0\}([\d.]+)%,to\{opacity:1\}\}/g)].map(([, at]) =>
    Number(at),
  );
}

test('the picture of a terminal has all lines in their order, with their colours', () => {
  const texts = [...picture.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, text = '']) => text);
  assert.deepEqual(texts, [
    '$ weeder demo',
    'A demo of a &amp; b.',
    't=   0.0s  etcd     <tspan class="bad" fill="#b3261e">is down &lt;all&gt;</tspan>',
    't=  36.0s  weeder   <tspan class="action" fill="#0b57d0">deletes web</tspan>',
    't=  36.1s  cluster  web is created',
    '  <tspan font-weight="bold">downtime</tspan>',
    '  web   1 m',
  ]);
  const places = [...picture.matchAll(/<text x="20" y="(\d+)"/g)].map(([, y]) => Number(y));
  assert.deepEqual(places, [35, 75, 115, 135, 155, 195, 215], 'an empty line takes its place');
});

test('its lines appear one after the other, with shortened pauses, and the outcome stays for some seconds', () => {
  const steps = stepsOf(picture);
  // The command, three lines of the timeline, and the outcome.
  assert.equal(steps.length, 5);
  const seconds = Number(/animation-duration:([\d.]+)s/.exec(picture)?.[1]);
  const pauses = steps.slice(1).map((step, index) => ((step - (steps[index] ?? 0)) * seconds) / 100);
  const expected = [0.8, 1.6, 0.25, 1.6];
  for (const [index, pause] of pauses.entries())
    assert.ok(Math.abs(pause - (expected[index] ?? 0)) < 0.01, `${pauses}`);
  assert.ok(seconds * (1 - (steps.at(-1) ?? 0) / 100) > 5);
});

test('it shows everything without movement, and in light colours, where a viewer knows no media queries', () => {
  const style = /<style>(.*)<\/style>/.exec(picture)?.[1] ?? '';
  const [still, moving] = style.split('@media(prefers-reduced-motion:no-preference)');
  assert.match(still ?? '', /^@media\(prefers-color-scheme:dark\)\{[^@]*\}$/);
  assert.match(moving ?? '', /^\{.*animation-name/);
  const elements = picture.replace(/<style>.*<\/style>/, '');
  assert.doesNotMatch(elements, /opacity|style=/);
  assert.match(elements, /^<svg [^>]* fill="#1d2433">/);
  assert.match(elements, /<rect [^>]* fill="#fff" stroke="#\w+"/);
  assert.doesNotMatch(picture, /var\(|url\(|@import|href/);
});

test('the picture of the README is one of the demo, up to the comparison, and is small', () => {
  const committed = readFileSync(new URL('../../visualizations/screenshots/demo.svg', import.meta.url), 'utf8');
  assert.ok(committed.length < 100_000);
  assert.match(committed, /deletes kube-apiserver-\w{5} \(in unreported back-off\)/);
  assert.match(committed, /<tspan font-weight="bold">downtime +with weeder +without +saved<\/tspan>/);
  assert.ok(stepsOf(committed).length > 15);
});
