import type { CodedError } from '@weeder/kube-runtime/base';
import type { Command, CommanderError } from 'commander';
import { codedError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';

/** Flags that take no separate value. */
export const booleanFlags: readonly string[] = ['dry-run', 'enable-leader-election', 'metrics-secure', 'zap-devel'];

/** The verb, and the rest of the command line for commander. */
interface Arguments {
  readonly verb: string;
  readonly words: readonly string[];
}

/**
 * Normalizes the command line for commander. The original's own verb, `weeder`, means `run`, and so do flags without a
 * verb. No word at all asks for help.
 */
export function readArguments(given: readonly string[]): Arguments {
  const [first] = given;
  if (first === undefined) return { verb: '', words: ['--help'] };
  const isFlag = first.startsWith('-');
  if (!isFlag && first !== 'run' && first !== 'weeder') return { verb: first, words: given.map(normalizeShort) };
  const words = given.map(normalizeWord);
  if (isFlag && ['--help', '-h', '--version'].includes(words[0] ?? '')) return { verb: '', words };
  return { verb: 'run', words: ['run', ...words.slice(isFlag ? 0 : 1)] };
}

/**
 * Go's flag package, which the original used, also accepts `-flag`, and a boolean flag takes a value only after `=`. For
 * other verbs than `run` a word such as `-ojson` is a short flag with its value.
 */
function normalizeWord(word: string): string {
  const long = /^-[a-z][a-z-]+(=|$)/.test(word) ? `-${word}` : word;
  return booleanFlags.some((flag) => long === `--${flag}`) ? `${long}=true` : normalizeShort(long);
}

/** As with kubectl, a short flag takes its value also after `=`: `-n=shop`. */
function normalizeShort(word: string): string {
  return word.replace(/^(-[A-Za-z])=(?=.)/s, '$1');
}

/** Converts an error of commander, about the command line of a verb, into a sentence. */
export function usageProblem({ code, message }: CommanderError, verb: string, program: Command): CodedError {
  const command = program.commands.find((each) => each.name() === verb);
  const flags = command?.options.flatMap(({ long, hidden }) => (long && !hidden ? long : [])) ?? [];
  return codedError('USAGE', sentenceOf(code, message.replace(/^error: /, ''), verb, flags));
}

/** The first word is not a verb. */
export function unknownVerb(word: string, verbs: readonly string[]): CodedError {
  const meant = nearest(word, verbs);
  return codedError('USAGE', `There is no verb "${word}"${meant === undefined ? '.' : `; did you mean ${meant}?`}`);
}

function sentenceOf(code: string, message: string, verb: string, flags: readonly string[]): string {
  const [, quoted = ''] = /'([^']*)'/.exec(message) ?? [];
  const [flag = ''] = /--[^ ,=]+/.exec(quoted) ?? quoted.split(/[ ,=]/, 1);
  switch (code) {
    case 'commander.unknownOption':
      return `There is no flag ${flag}${takesWord(verb, flag) ?? suggestion(flag, flags)}`;
    case 'commander.optionMissingArgument':
      return `The flag ${flag} needs a value.`;
    case 'commander.missingArgument':
      return `weeder ${verb} needs ${quoted.toUpperCase()}.`;
    case 'commander.invalidArgument':
      if (message.startsWith('command-argument')) return wrongArgument(verb, quoted, message);
      return `The flag ${flag}: ${message.replace(/^.* is invalid\. /s, '').replace(/\.$/, '')}.`;
    case 'commander.excessArguments':
      return tooMany(verb, lastPart(message, / but got \d+: /));
    default:
      return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  }
}

/** What follows the words, without the full stop at the end. */
function lastPart(message: string, words: RegExp): string {
  return (message.split(words).at(-1) ?? message).replace(/\.$/, '');
}

function wrongArgument(verb: string, word: string, message: string): string {
  const words = lastPart(message, /Allowed choices are /).split(', ');
  const meant = nearest(word, words);
  return `weeder ${verb} does not accept the argument ${word}${meant === undefined ? `: give ${words.join(', ')}.` : `; did you mean ${meant}?`}`;
}

/** Of two verbs that take a config, one takes it as an argument, and the other as a flag. */
function takesWord(verb: string, flag: string): string | undefined {
  return verb === 'check' && flag === '--config-file'
    ? '; give the file as an argument: weeder check FILE.'
    : undefined;
}

function suggestion(flag: string, flags: readonly string[]): string {
  const meant = nearest(flag, flags) ?? flags.find((each) => each.startsWith(`${flag}-`));
  return meant === undefined ? '.' : `; did you mean ${meant}?`;
}

function tooMany(verb: string, words: string): string {
  const isBoolean = /^(true|false)\b/i.test(words);
  const hint = isBoolean ? `; give the value of a boolean flag after "=", as in --${booleanFlags[0]}=false` : '';
  if (words.includes(', ')) return `weeder ${verb} accepts fewer arguments than ${words}${hint}.`;
  return `weeder ${verb} does not accept the argument ${words}${hint}.`;
}
