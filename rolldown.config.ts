import { defineConfig } from 'rolldown';

/**
 * The production bundle: one file for the `bin` entry, with only what weeder uses of its dependencies. pino-pretty
 * stays outside: it is optional, and loaded only when the output is a terminal.
 */
export default defineConfig({
  input: 'src/cli/weeder.ts',
  platform: 'node',
  external: ['pino-pretty'],
  output: { file: 'dist/weeder.js', format: 'esm', codeSplitting: false },
});
