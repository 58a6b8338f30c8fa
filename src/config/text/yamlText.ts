import { failed, ok, type Result } from '@weeder/kube-runtime/base';
import { type Document, isScalar, LineCounter, parseAllDocuments } from 'yaml';
import { type FieldError, formatPath, oneLine } from '../../base/fieldError.ts';
import type { LocatedError } from './located.ts';
import { isNestedTooDeeply } from './nesting.ts';

/** The non-empty documents of a text, and a counter that finds lines. */
export interface YamlText {
  readonly documents: readonly Document.Parsed[];
  readonly lines: LineCounter;
}

/** Parses YAML, or returns its syntax errors. Characters are counted after a byte order mark. */
export function readYaml(
  text: string,
): Result<YamlText, { readonly errors: LocatedError[]; readonly lines: LineCounter }> {
  const lines = new LineCounter();
  if (isNestedTooDeeply(text)) return failed({ errors: [tooDeepAt(0)], lines });
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false, merge: false } as const;
  const documents = [...parseAllDocuments(source, options)];
  const errors = documents.flatMap(syntaxErrors);
  return errors.length > 0 ? failed({ errors, lines }) : ok({ documents: documents.filter(hasContent), lines });
}

/** The limit for the number of unknown tags and directives. */
const maxWarnings = 100;

function tooDeepAt(offset: number): LocatedError {
  return { offset, path: [], message: 'nested too deeply to be read' };
}

function hasContent({ contents }: Document.Parsed): boolean {
  return contents !== null && !(isScalar(contents) && contents.source === '');
}

/**
 * Only the first error of a document, because most others are its consequences: one wrong quote invalidates everything
 * that follows. Warnings are unknown tags and directives: their author expects an effect that they do not have.
 */
function syntaxErrors({ errors, warnings }: Document.Parsed): readonly LocatedError[] {
  const tooDeep = [...errors, ...warnings].find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (tooDeep !== undefined) return [tooDeepAt(tooDeep.pos[0])];
  const first = errors.toSorted((one, other) => one.pos[0] - other.pos[0]).slice(0, 1);
  return [...first, ...warnings.slice(0, maxWarnings)].map(({ pos, message }) => {
    const [sentence = ''] = message.split('\n');
    return { offset: pos[0], path: [], message: `not valid YAML: ${oneLine(sentence)}` };
  });
}

/** The errors with lines and columns, in the order of the text. */
export function inLines(errors: readonly LocatedError[], file: string, lines: LineCounter): readonly FieldError[] {
  return errors
    .toSorted((one, other) => one.offset - other.offset)
    .map(({ offset, path, message }) => {
      const { line, col } = lines.linePos(offset);
      const place = { line: Math.max(line, 1), column: Math.max(col, 1) };
      return { code: 'CONFIG_INVALID', file, ...place, path: formatPath(path), message };
    });
}
