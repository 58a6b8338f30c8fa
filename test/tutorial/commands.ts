import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../cluster/support/eventually.ts';
import { isAsShown } from './output.ts';
import type { Command } from './page.ts';

/** Where the commands of a page run. */
export interface Shell {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A reader ends these with Ctrl-C as soon as the output is as shown. */
export const follows = /\s--(follow|watch)\b/;
/** A reader repeats these until the output is as shown. */
const looks = /^(kubectl (get|logs)|npx weeder explain) /;

/**
 * Runs a command as the reader of a page does, and returns its output. Throws if it fails, or its output is not as the page
 * shows it.
 */
export async function runCommand(shell: Shell, { command, output: shown }: Command): Promise<string> {
  const what = `this output of \`${command}\`:\n${shown.join('\n')}\n`;
  if (follows.test(command)) {
    if (shown.length === 0) throw new Error(`\`${command}\` does not end, and its page shows no output.`);
    const running = start(shell, command);
    const isSeen = (saw: (seen: unknown) => void): boolean => {
      saw(running.output());
      return isAsShown(shown, running.output(), 'so far');
    };
    await eventually(isSeen, { what, every: 100 }).finally(running.interrupt);
    return running.output();
  }
  const attempt = async (): Promise<string> => {
    const output = await run(shell, command);
    if (shown.length > 0 && !isAsShown(shown, output, 'complete')) throw new Error(`not ${what}but:\n${output}`);
    return output;
  };
  return looks.test(command) ? eventually(attempt, { what, every: 500 }) : attempt();
}

/** Runs a command to its end, and returns its output. Throws if it fails. */
export async function run(shell: Shell, command: string): Promise<string> {
  const { ended, output } = start(shell, command);
  const how = await ended;
  if (how !== 0) throw new Error(`\`${command}\` failed (${how}):\n${output()}`);
  return output();
}

function start({ folder, env }: Shell, command: string) {
  // A group of processes of its own, which Ctrl-C of a terminal also has.
  const child = spawn('bash', ['-o', 'pipefail', '-c', `exec 2>&1\n${command}`], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const ended = once(child, 'close').then(([code, signal]): unknown => signal ?? code);
  return {
    output: () => text,
    ended,
    interrupt: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
      await ended;
    },
  };
}
