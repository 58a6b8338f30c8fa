const { CI, RUNS, SEED } = process.env;
const seed = Number(SEED ?? Date.now() % 2 ** 31);
const isShort = CI === undefined && RUNS === undefined;

/**
 * The number of runs of a property, and its seed, for fast-check: `usual` runs in CI, and a fifth of that by hand, with
 * another seed each time; a failure prints the seed. For more runs: `RUNS=20000 SEED=7 npm test --
 * test/properties/fuzzWatch.test.ts`.
 */
export function propertyRuns(usual: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: Number(RUNS ?? (isShort ? Math.ceil(usual / 5) : usual)), seed };
}

/** The number of cases of one kind that `propertyRuns` must have met: `usual` in CI, a twentieth by hand. */
export function enough(usual: number): number {
  return isShort ? usual / 20 : usual;
}
