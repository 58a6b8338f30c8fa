import type { Command } from 'commander';
import { exitCodes } from '../output.ts';
import { bashScript } from './bash.ts';
import { type CompletedVerb, commandTree } from './commandTree.ts';
import { fishScript } from './fish.ts';
import { powershellScript } from './powershell.ts';
import type { Shell } from './shells.ts';
import { zshScript } from './zsh.ts';

const scripts = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
} as const satisfies Record<Shell, (verbs: readonly CompletedVerb[]) => string>;

/** `weeder completion SHELL`: prints a script that has the verbs, flags and choices of this program. */
export function completion(program: Command, shell: Shell): number {
  process.stdout.write(scripts[shell](commandTree(program)));
  return exitCodes.ok;
}
