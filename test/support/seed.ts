import fc from 'fast-check';
import { shrinkingFor } from './shrinking.ts';

const { CI, SEED } = process.env;

// Every property has the seed of the run: without one, what fails for a rare value fails by chance.
if (SEED !== undefined) fc.configureGlobal({ seed: Number(SEED) });
// A large case shrinks for longer than a test may take, and then nothing is known about it.
if (CI !== undefined) fc.installGlobalPlugin(shrinkingFor(60_000));
