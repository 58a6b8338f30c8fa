import { parseAst } from 'rolldown/parseAst';

export interface Expression {
  /** The file, and the line in it. */
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** What a source file has: literals, and the places where an expression is made of texts. */
export interface Expressions {
  readonly literals: readonly Expression[];
  readonly made: readonly string[];
}

/** The parts of a node of the syntax tree that this test reads. */
interface Node {
  readonly type?: unknown;
  readonly start?: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly name?: unknown };
}

export function expressionsIn(file: string, text: string): Expressions {
  const literals: Expression[] = [];
  const made: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type, start = 0, regex, callee }: Node = value;
    const place = () => `${file}:${text.slice(0, start).split('\n').length}`;
    if (regex !== undefined) literals.push({ place: place(), source: regex.pattern, flags: regex.flags });
    if ((type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp') made.push(place());
    for (const each of Object.values(value)) visit(each);
  };
  visit(parseAst(text, { lang: 'ts' }, file));
  return { literals, made };
}
