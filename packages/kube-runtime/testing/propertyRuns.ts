const { CI, RUNS, SEED } = process.env;
const seed = Number(SEED ?? Date.now() % 2 ** 31);
const isShort = CI === undefined && RUNS === undefined;

/**
 * The number of runs of a property, and its seed, for fast-check: `usual` runs in CI. By hand a fifth of that, and of
 * many a tenth, with another seed each time; a failure prints the seed. For more runs: `RUNS=20000 SEED=7 npm test --
 * test/properties/fuzzWatch.test.ts`.
 */
export function propertyRuns(usual: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: Number(RUNS ?? (isShort ? few(usual) : usual)), seed };
}

function few(usual: number): number {
  return Math.ceil(Math.max(usual / 10, Math.min(usual / 5, 40)));
}

/** The number of cases of one kind that `propertyRuns` must have met: `usual` in CI, a fortieth by hand. */
export function enough(usual: number): number {
  return isShort ? usual / 40 : usual;
}
