import { main } from '../../src/cli/main.ts';
import type { Command } from './cli.ts';

/**
 * A process that runs one command line after the other, for tests that run many of them: starting the program takes
 * longer than most of what it does. The answer to a message has the exit code and the output.
 */
let output = { stdout: '', stderr: '' };

for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (chunk: string | Uint8Array) => {
    output[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  };
}

process.on('message', async ({ words, env }: Command) => {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  output = { stdout: '', stderr: '' };
  const code = await main(words);
  process.send?.({ code, ...output });
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});
