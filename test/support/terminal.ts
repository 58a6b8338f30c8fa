import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { bundle } from './bundle.ts';
import { folder, programEnv } from './cli.ts';

const version = spawnSync('script', ['--version'], { encoding: 'utf8' });

/** For the option `skip` of a test that needs `onTerminal`: why it is skipped, or false. */
export const withoutTerminal = `${version.stdout}`.includes('util-linux') ? false : 'no script(1) of util-linux';

/** Runs the real program on a pseudo-terminal until it exits; `text` is what the terminal received. */
export async function onTerminal(
  words: readonly string[],
): Promise<{ readonly code: number | null; readonly text: string }> {
  const line = [process.execPath, await bundle(), ...words].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: folder,
    env: { ...programEnv, TERM: 'xterm-256color' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed = once(child, 'close');
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) text += chunk;
  const [code] = await closed;
  return { code, text };
}
