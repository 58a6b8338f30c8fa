import { CommanderError } from 'commander';
import { readArguments, unknownVerb, usageProblem } from './flags/commandLine.ts';
import { exitCodes, fail } from './output.ts';
import { createProgram } from './program.ts';

/** Parses the command line and runs the verb. Resolves with the exit code. */
export async function main(given: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const program = createProgram((code) => {
    exitCode = code;
  });
  const { verb, words } = readArguments(given);
  const verbs = [...program.commands.map((command) => command.name()), 'help'];
  const unknown = [verb, verb === 'help' ? words[1] : undefined].find((word) => word && !verbs.includes(word));
  if (unknown !== undefined) return fail(unknownVerb(unknown, verbs));
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.ok : fail(usageProblem(error, verb, program));
  }
}
