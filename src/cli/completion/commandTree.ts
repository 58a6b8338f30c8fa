import type { Argument, Command, Option } from 'commander';
import { collect, readNames } from '../flags/values.ts';

/** What a shell can complete for a value: nothing, one of several words, or the path of a file. */
export type Value =
  | { readonly type: 'any' }
  | { readonly type: 'words'; readonly words: readonly string[] }
  | { readonly type: 'file' };

export interface CompletedFlag {
  /** `-o`. */
  readonly short: string | undefined;
  /** `--output`. */
  readonly long: string;
  readonly description: string;
  /** Undefined: it takes no value, or one only after `=`. */
  readonly value: Value | undefined;
  readonly isRepeatable: boolean;
}

export interface CompletedVerb {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly CompletedFlag[];
  /** The arguments in their order. */
  readonly arguments: readonly CompletedArgument[];
}

interface CompletedArgument {
  readonly name: string;
  readonly value: Value;
  readonly isRepeatable: boolean;
}

/** The parsers of flags that may be repeated. */
const repeatable: readonly unknown[] = [collect, readNames];

/** The verbs with their flags and arguments, as shells complete them. */
export function commandTree(program: Command): CompletedVerb[] {
  const verbs = program.commands.map((command) => verbOf(command, program));
  const words = { type: 'words', words: verbs.map(({ name }) => name) } as const;
  const verb = { name: 'verb', value: words, isRepeatable: false };
  return [...verbs, { name: 'help', description: 'show the flags of a verb', flags: [], arguments: [verb] }];
}

function verbOf(command: Command, program: Command): CompletedVerb {
  const help = program.createHelp();
  return {
    name: command.name(),
    description: command.description(),
    flags: help.visibleOptions(command).flatMap(flagOf),
    arguments: command.registeredArguments.map(argumentOf),
  };
}

function flagOf({ long, short, description, flags, argChoices, required, parseArg }: Option): CompletedFlag[] {
  if (long === undefined || long === null) return [];
  const value = required ? completedBy(argChoices, /<(file|path)>/.test(flags)) : undefined;
  return [{ short: short ?? undefined, long, description, value, isRepeatable: repeatable.includes(parseArg) }];
}

function argumentOf(argument: Argument): CompletedArgument {
  const { argChoices, variadic } = argument;
  const name = argument.name();
  return { name, value: completedBy(argChoices, name === 'file'), isRepeatable: variadic };
}

function completedBy(choices: readonly string[] | undefined, isFile: boolean): Value {
  if (choices !== undefined) return { type: 'words', words: choices };
  return { type: isFile ? 'file' : 'any' };
}
