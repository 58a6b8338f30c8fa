import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkout } from '../../support/cache.ts';
import type { Expression } from './expressionsIn.ts';

/** The file and the line of the sources in a stack. */
const caller = /\/((?:src|machines|packages)\/[^\s?]+)\?made:(\d+):\d+/;

/** Returns the expressions that these files make of texts while they are loaded. */
export async function madeExpressions(files: readonly string[]): Promise<readonly Expression[]> {
  const made: Expression[] = [];
  const original = RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, given, self) {
      const expression: RegExp = Reflect.construct(target, given, self);
      const [, file, line] = caller.exec(new Error().stack ?? '') ?? [];
      if (file !== undefined)
        made.push({ place: `${file}:${line}`, source: expression.source, flags: expression.flags });
      return expression;
    },
  });
  try {
    // Loaded once more: other tests of the process may have loaded them already.
    for (const file of files) await import(`${pathToFileURL(join(checkout, file))}?made`);
  } finally {
    globalThis.RegExp = original;
  }
  return made;
}
