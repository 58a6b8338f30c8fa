import assert from 'node:assert/strict';
import fc from 'fast-check';

const { CI, RUNS, SEED } = process.env;
const firstSeed = Number(SEED ?? Date.now() % 2 ** 31);
const isShort = CI === undefined && RUNS === undefined;
/** With how many seeds `assertMeets` looks for what is rare. */
const maxSeeds = 5;

/**
 * The number of runs of a property, and its seed, for fast-check: `usual` runs in CI. By hand a fifth of that, and of
 * many a tenth, with another seed each time; a failure prints the seed. For more runs, or for so many times the usual
 * number: `RUNS=20000 SEED=7 npm test -- test/properties/fuzzWatch.test.ts`, `RUNS=200x`.
 */
export function propertyRuns(usual: number): { readonly numRuns: number; readonly seed: number } {
  const numRuns = RUNS?.endsWith('x')
    ? usual * Number(RUNS.slice(0, -1))
    : Number(RUNS ?? (isShort ? few(usual) : usual));
  return { numRuns, seed: firstSeed };
}

function few(usual: number): number {
  return Math.ceil(Math.max(usual / 10, Math.min(usual / 5, 40)));
}

/**
 * Asserts a property, and that its cases meet what it is about: each of `wanted` at least so often in `usual` runs, and
 * in proportion in fewer or more. The property counts it in `met`. What one seed meets too rarely by chance, the next
 * ones may meet: the property runs with up to five seeds before the assertion fails.
 */
export async function assertMeets<What extends string>(
  wanted: Readonly<Record<What, number>>,
  usual: number,
  propertyOf: (met: Record<What, number>) => fc.IRawProperty<unknown>,
): Promise<void> {
  const { numRuns, seed: first } = propertyRuns(usual);
  const met: Record<What, number> = { ...wanted };
  for (const what in met) met[what] = 0;
  const property = propertyOf(met);
  const missing: string[] = [];
  for (let seed = first; seed < first + maxSeeds; seed += 1) {
    await fc.assert(property, { numRuns, seed });
    missing.length = 0;
    for (const what in wanted) {
      const needed = Math.ceil((wanted[what] * numRuns) / usual);
      if (met[what] < needed) missing.push(`${what}: ${met[what]} instead of ${needed}`);
    }
    if (missing.length === 0) return;
  }
  assert.fail(`too rare in ${numRuns} runs each of the seeds from ${first} on: ${missing.join(', ')}`);
}
