import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { checkout } from './cache.ts';

const shown = 10;

/** A reporter for node's test runner: after all others, the tests that took longest, with their files. */
export default async function* slowest(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const tests: { readonly duration: number; readonly line: string }[] = [];
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, file = '', details } = data;
    if (details.type === 'suite') continue;
    const seconds = (details.duration_ms / 1000).toFixed(1).padStart(6);
    tests.push({ duration: details.duration_ms, line: `${seconds} s  ${name} (${relative(checkout, file)})` });
  }
  tests.sort((one, other) => other.duration - one.duration);
  yield `The slowest tests:\n${tests
    .slice(0, shown)
    .map(({ line }) => `${line}\n`)
    .join('')}`;
}
