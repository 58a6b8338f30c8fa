import type { CodedError } from '@weeder/kube-runtime/base';
import type { CommanderError } from 'commander';
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
 * Normalizes the command line for commander. Go's flag package, which the original used, also accepts `-flag`, and a
 * boolean flag takes a value only after `=`. The original's own verb, `weeder`, means `run`, and so does a missing
 * verb.
 */
export function readArguments(given: readonly string[]): Arguments {
  const words = given.map(normalizeWord);
  const [first] = words;
  if (first === undefined) return { verb: 'run', words: ['run'] };
  if (first === '--help' || first === '-h' || first === '--version') return { verb: '', words };
  if (first.startsWith('-')) return { verb: 'run', words: ['run', ...words] };
  const verb = first === 'weeder' ? 'run' : first;
  return { verb, words: [verb, ...words.slice(1)] };
}

function normalizeWord(word: string): string {
  const long = /^-[a-z][a-z-]+(=|$)/.test(word) ? `-${word}` : word;
  return booleanFlags.some((flag) => long === `--${flag}`) ? `${long}=true` : long;
}

/** Converts an error of commander into a sentence. */
export function usageProblem({ code, message }: CommanderError, verb: string): CodedError {
  return codedError('USAGE', sentenceOf(code, message.replace(/^error: /, ''), verb));
}

/** The first word is not a verb. */
export function unknownVerb(word: string, verbs: readonly string[]): CodedError {
  const meant = nearest(word, verbs);
  return codedError('USAGE', `There is no verb "${word}"${meant === undefined ? '.' : `; did you mean ${meant}?`}`);
}

function sentenceOf(code: string, message: string, verb: string): string {
  const [, quoted = ''] = /'(.*?)'/s.exec(message) ?? [];
  const flag = quoted.split(/[ ,=]/, 1)[0] ?? '';
  switch (code) {
    case 'commander.unknownOption':
      return `There is no flag ${flag}${takesWord(verb, flag) ?? suggestion(message, flag)}`;
    case 'commander.optionMissingArgument':
      return `The flag ${flag} needs a value.`;
    case 'commander.missingArgument':
      return `weeder ${verb} needs ${quoted.toUpperCase()}.`;
    case 'commander.invalidArgument':
      return `The flag ${flag}: ${message.replace(/^.* is invalid\. /s, '').replace(/\.$/, '')}.`;
    case 'commander.excessArguments':
      return tooMany(verb, message.replace(/^.* but got \d+: (.*)\.$/s, '$1'));
    default:
      return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  }
}

/** Of two verbs that take a config, one takes it as an argument, and the other as a flag. */
function takesWord(verb: string, flag: string): string | undefined {
  return verb === 'check' && flag === '--config-file'
    ? '; give the file as an argument: weeder check FILE.'
    : undefined;
}

/** Commander's suggestion: `(Did you mean --config-file?)`. */
function suggestion(message: string, flag: string): string {
  const [, meant] = /\(Did you mean (?:one of )?(.*)\?\)/s.exec(message) ?? [];
  // Commander also suggests flags of `run`, which may be the very flag that this verb does not have.
  return meant === undefined || meant === flag ? '.' : `; did you mean ${meant}?`;
}

function tooMany(verb: string, words: string): string {
  const isBoolean = /^(true|false)\b/i.test(words);
  const hint = isBoolean ? `; give the value of a boolean flag after "=", as in --${booleanFlags[0]}=false` : '';
  if (words.includes(', ')) return `weeder ${verb} accepts fewer arguments than ${words}${hint}.`;
  return `weeder ${verb} does not accept the argument ${words}${hint}.`;
}
