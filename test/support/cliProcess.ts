import type { Serializable } from 'node:child_process';
import { main } from '../../src/cli/main.ts';

/**
 * A process that runs one command line after the other, for tests that run many of them: starting the program takes
 * longer than most of what it does. Each message is an array of words; the answer has the exit code and the output.
 */
let output = { stdout: '', stderr: '' };

for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (chunk: string | Uint8Array) => {
    output[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  };
}

process.on('message', async (words: readonly string[]) => {
  output = { stdout: '', stderr: '' };
  const code = await main(words);
  const answer: Serializable = { code, ...output };
  process.send?.(answer);
});
