import { defineConfig } from 'rolldown';

/** The production bundle: one file for the `bin` entry, with only what weeder uses of its dependencies. */
export default defineConfig({
  input: 'src/cli/weeder.ts',
  platform: 'node',
  output: { file: 'dist/weeder.js', format: 'esm', minify: false, sourcemap: false },
});
