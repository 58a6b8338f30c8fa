const { CI, RUNS, SEED } = process.env;
const seed = Number(SEED ?? Date.now() % 2 ** 31);
const isShort = CI === undefined && RUNS === undefined;

/**
 * How often a property is tried, and with which seed, for fast-check: `usual` times in CI, and a fifth of that by hand,
 * where the seed is another one each time; a failure prints it. More of them:
 * `RUNS=20000 SEED=7 npm test -- test/properties/fuzzWatch.test.ts`.
 */
export function propertyRuns(usual: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: Number(RUNS ?? (isShort ? Math.ceil(usual / 5) : usual)), seed };
}

/** How many cases of one kind `propertyRuns` must have met: `usual` of them in CI, by hand a twentieth. */
export function enough(usual: number): number {
  return isShort ? usual / 20 : usual;
}
