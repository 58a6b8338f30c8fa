import fc from 'fast-check';

const seed = process.env['SEED'];

// Every property has the seed of the run: without one, what fails for a rare value fails by chance.
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
