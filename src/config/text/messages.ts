import type { z } from 'zod';
import { formatPath, oneLine, type Path, quoted } from '../../base/fieldError.ts';
import { nearest } from '../../base/nearest.ts';
import { type Located, type LocatedError, located, offsetOf } from './located.ts';
import { misreading } from './scalars.ts';

type Issue = z.core.$ZodIssue;

/** Marks an issue for which the schema has no message: the message is generated here, from the file. */
export const noMessage = '\u0000';

/** Returns the keys that are allowed in a mapping of the file. */
type KeysAt = (path: Path) => readonly string[];

/** Converts an issue of the schema into errors of the file, with weeder's own messages. */
export function fieldErrorsOf(issue: Issue, root: Located, keysAt: KeysAt): readonly LocatedError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey(root, [...issue.path, key], key, keysAt));
  }
  const within = issue.code === 'invalid_union' ? chosenBranch(issue.errors) : undefined;
  if (within !== undefined) {
    return within.flatMap((inner) => fieldErrorsOf({ ...inner, path: [...issue.path, ...inner.path] }, root, keysAt));
  }
  const here = located(root, issue.path);
  const isAboutKey = issue.code === 'custom' && issue.params?.['isAboutKey'] === true;
  const offset = isAboutKey ? (here?.keyOffset ?? root.offset) : offsetOf(root, issue.path);
  return [{ offset, path: issue.path, message: issue.message === noMessage ? messageOf(issue, here) : issue.message }];
}

/**
 * Of a union, the only branch whose type matches the value, if there is one: its issues are deeper, or have messages of
 * the schema.
 */
function chosenBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const fitting = branches.filter((issues) => issues.every(isOfFittingValue));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** If the type of a value is wrong, that is the only error to report. */
function isOfFittingValue({ path, message, code }: Issue): boolean {
  return path.length > 0 || message !== noMessage || code === 'unrecognized_keys';
}

function unknownKey(root: Located, path: Path, key: string, keysAt: KeysAt): LocatedError {
  const offset = located(root, path)?.keyOffset ?? root.offset;
  const allowed = keysAt(path.slice(0, -1));
  // A long list would hide the key that was meant.
  const meant = keyOfAbove(path.slice(0, -1), key, keysAt) ?? didYouMean(key, allowed);
  const list = allowed.length === 0 ? 'none is allowed here' : `allowed are ${allowed.join(', ')}`;
  return { offset, path, message: `unknown key${meant === '' ? `, ${list}` : meant}` };
}

/** The key is valid, but at a higher level: `maxRestartsPerMinute` at a rule. */
function keyOfAbove(path: Path, key: string, keysAt: KeysAt): string | undefined {
  const above = path.map((_, index) => path.slice(0, index)).findLast((each) => keysAt(each).includes(key));
  if (above === undefined) return undefined;
  return `; it is a key of ${above.length === 0 ? 'the top level' : formatPath(above)}`;
}

function messageOf(issue: Issue, here: Located | undefined): string {
  if (issue.code === 'invalid_value') return wrongChoice(issue.values.map(String), '', here);
  if (issue.code === 'invalid_union') {
    const words = choices(issue.errors.flat());
    if (words.length > 0) return wrongChoice(words, ' or a list of names', here);
  }
  const expected = expectedBy(issue);
  if (here === undefined) return `missing, expected ${expected}`;
  return `found ${found(here)}, expected ${expected}${hintFor(expected, here)}`;
}

function expectedBy(issue: Issue): string {
  if (issue.code === 'invalid_union') return [...new Set(issue.errors.flat().map(expectedBy))].join(' or ');
  return issue.code === 'invalid_type' ? (typeNames[issue.expected] ?? issue.expected) : 'something else';
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a whole number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

function choices(issues: readonly Issue[]): readonly string[] {
  return issues.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values.map(String) : []));
}

function wrongChoice(allowed: readonly string[], orElse: string, here: Located | undefined): string {
  const list = `${allowed.join(', ')}${orElse}`;
  if (here === undefined) return `missing, allowed are ${list}`;
  const suggestion = typeof here.value === 'string' ? didYouMean(here.value, allowed) : '';
  return `found ${found(here)}, allowed are ${list}${suggestion}`;
}

function didYouMean(word: string, allowed: readonly string[]): string {
  const meant = nearest(word, allowed);
  return meant === undefined ? '' : `; did you mean ${quoted(meant)}?`;
}

/** Describes the value in the file for a person. */
function found({ value, source }: Located): string {
  if (value === null) return 'nothing';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (source === undefined) return typeof value === 'object' ? 'a mapping' : oneLine(String(value));
  const misread = typeof value === 'boolean' && source !== String(value) ? misreading(source) : undefined;
  return misread === undefined ? oneLine(source) : `${oneLine(source)} (which is read as ${misread})`;
}

function hintFor(expected: string, { value, source }: Located): string {
  if (expected === 'a text' && value === null) return '; the empty text is written ""';
  if (expected === 'a text' && source !== undefined) return `; write it in quotes: ${quoted(source)}`;
  if (expected === 'a list' && value !== null && typeof value !== 'object') {
    return `; a list with one entry is written [${oneLine(source ?? String(value))}]`;
  }
  if (expected === 'a list' && value !== null) return '; begin each entry with "- "';
  return expected === 'a whole number' && typeof value === 'string' ? numberHint(value) : '';
}

function numberHint(value: string): string {
  return /^[0-9]{1,9}$/.test(value) ? `; write it without quotes: ${value}` : '';
}
