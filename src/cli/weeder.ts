#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { normalizeArguments } from './arguments.ts';
import { check } from './check.ts';
import { explain } from './explain.ts';
import { exitCodes } from './output.ts';
import { run } from './run.ts';
import { addClusterFlags, addRunFlags, givenMeaningless, type RunFlags } from './runFlags.ts';

/** Reads the command line and does what it says. Resolves with the exit code. */
async function main(words: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const program = new Command('weeder')
    .description('When a service recovers, deletes its dependants’ crash-looping pods, so that they start at once.')
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'weeder: ')) })
    .showHelpAfterError('See weeder --help for the flags and verbs.');

  addRunFlags(program.command('run', { isDefault: true }).description('watch and weed (also without a verb)')).action(
    async (flags: RunFlags, command: Command) => {
      exitCode = await run(flags, givenMeaningless(command.opts()));
    },
  );
  program
    .command('check')
    .description('check a config file: every fault at once')
    .argument('<file>', 'the config file')
    .action(async (file: string) => {
      exitCode = await check(file);
    });
  addClusterFlags(program.command('explain').description('what weeder sees, and what it would do'))
    .requiredOption('--config-file <file>', 'the services and their dependants (YAML)')
    .action(async (flags: RunFlags & { readonly configFile: string }) => {
      exitCode = await explain(flags);
    });

  try {
    const verbs = program.commands.map((command) => command.name());
    await program.parseAsync(normalizeArguments(words, verbs), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
}

process.exitCode = await main(process.argv.slice(2));
