import { keyError, valueError } from '../meta/names.ts';

type Labels = Readonly<Record<string, string>> | undefined;
type Matches = (labels: Labels) => boolean;

/** A parsed label selector, or the API server's message about its error. */
type ParsedSelector =
  | { readonly ok: true; readonly matches: Matches }
  | { readonly ok: false; readonly message: string };

type Token = 'identifier' | 'operator' | 'end' | ',' | '(' | ')' | '!';

interface Piece {
  readonly token: Token;
  readonly text: string;
}

type Test = (value: string | undefined) => boolean;

const symbols = /^(?:===?|!=|[=!(),<>])/;
const comparisons = new Set(['=', '==', '!=', 'in', 'notin', '>', '<']);

/** Parses `labelSelector=` as k8s.io/apimachinery does: =, ==, !=, in, notin, >, <, a key alone and !key. */
export function parseLabelSelector(text: string): ParsedSelector {
  try {
    const tests = readRequirements(tokenize(text));
    return { ok: true, matches: (labels) => tests.every(([key, test]) => test(labelOf(labels, key))) };
  } catch (error) {
    if (error instanceof SelectorError) return { ok: false, message: error.message };
    throw error;
  }
}

class SelectorError extends Error {}

/** `in` and `notin` are operators only by their position, so they are identifiers here. */
function tokenize(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let rest = text.trimStart();
  while (rest !== '') {
    const symbol = symbols.exec(rest)?.[0].replace('===', '==');
    const word = symbol ?? /^[^\s=!(),<>]+/.exec(rest)?.[0] ?? rest;
    pieces.push({ token: symbol === undefined ? 'identifier' : tokenOf(symbol), text: word });
    rest = rest.slice(word.length).trimStart();
  }
  return pieces;
}

function tokenOf(symbol: string): Token {
  return symbol === ',' || symbol === '(' || symbol === ')' || symbol === '!' ? symbol : 'operator';
}

interface Reader {
  peek(): Piece;
  next(): Piece;
}

function readerOf(pieces: readonly Piece[]): Reader {
  let at = 0;
  const peek = (): Piece => pieces[at] ?? { token: 'end', text: '' };
  return {
    peek,
    next() {
      const piece = peek();
      at += 1;
      return piece;
    },
  };
}

function readRequirements(pieces: readonly Piece[]): readonly (readonly [string, Test])[] {
  const reader = readerOf(pieces);
  const requirements: (readonly [string, Test])[] = [];
  if (reader.peek().token === 'end') return requirements;
  for (;;) {
    const { token, text } = reader.peek();
    if (token !== 'identifier' && token !== '!') throw expected(text, "!, identifier, or 'end of string'");
    requirements.push(readRequirement(reader));
    const separator = reader.next();
    if (separator.token === 'end') return requirements;
    if (separator.token !== ',') throw expected(separator.text, "',' or 'end of string'");
    const following = reader.peek();
    if (following.token !== 'identifier' && following.token !== '!')
      throw expected(following.text, "identifier after ','");
  }
}

function readRequirement(reader: Reader): readonly [string, Test] {
  const first = reader.next();
  const isNegated = first.token === '!';
  const key = isNegated ? reader.next() : first;
  if (key.token !== 'identifier') throw inRequirement(`found '${key.text}', expected: identifier`);
  checked(key.text, keyError(key.text));
  const { token } = reader.peek();
  if (isNegated) return [key.text, (value) => value === undefined];
  if (token === 'end' || token === ',') return [key.text, (value) => value !== undefined];
  return [key.text, readComparison(reader)];
}

function readComparison(reader: Reader): Test {
  const { text } = reader.next();
  if (!comparisons.has(text)) throw inRequirement(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
  if (text === 'in' || text === 'notin') {
    const values = readValues(reader);
    for (const value of values) checked(value, valueError(value));
    return text === 'in'
      ? (label) => label !== undefined && values.has(label)
      : (label) => label === undefined || !values.has(label);
  }
  const value = readValue(reader);
  checked(value, valueError(value));
  if (text === '!=') return (label) => label !== value;
  if (text === '=' || text === '==') return (label) => label === value;
  const limit = Number(value);
  if (!/^-?\d+$/.test(value)) throw inRequirement(`for 'Gt', 'Lt' operators, the value must be an integer`);
  const isGreater = text === '>';
  return (label) =>
    label !== undefined && /^-?\d+$/.test(label) && (isGreater ? Number(label) > limit : Number(label) < limit);
}

function readValue(reader: Reader): string {
  const { token, text } = reader.peek();
  if (token === 'end' || token === ',') return '';
  if (token !== 'identifier') throw inRequirement(`found '${text}', expected: identifier`);
  return reader.next().text;
}

/** Parses `(a, b)`; a comma without a value beside it stands for the empty value. */
function readValues(reader: Reader): ReadonlySet<string> {
  const open = reader.next();
  if (open.token !== '(') throw inRequirement(`found '${open.text}' expected: '('`);
  const values = new Set<string>();
  let expectsValue = true;
  for (;;) {
    const { token, text } = reader.next();
    if (token === 'identifier' && expectsValue) values.add(text);
    else if ((token === ',' || token === ')') && expectsValue) values.add('');
    else if (token !== ',' && token !== ')') {
      throw inRequirement(`found '${text}', expected: ',', ')' or identifier`);
    }
    if (token === ')') return values;
    expectsValue = token === ',';
  }
}

function checked(text: string, message: string | undefined): void {
  if (message !== undefined) throw inRequirement(`<nil>: Invalid value: ${JSON.stringify(text)}: ${message}`);
}

function expected(text: string, what: string): SelectorError {
  return new SelectorError(`found '${text}', expected: ${what}`);
}

function inRequirement(message: string): SelectorError {
  return new SelectorError(`unable to parse requirement: ${message}`);
}

function labelOf(labels: Labels, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}
