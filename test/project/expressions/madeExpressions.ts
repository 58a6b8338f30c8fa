import { join } from 'node:path';
import { checkout } from '../../support/cache.ts';
import type { Expression } from './expressionsIn.ts';

/** The file and the line of the sources in a stack. */
const caller = /\/((?:src|machines|packages)\/\S+:\d+):\d+/;

/** Returns the expressions that these files make of texts while they are loaded, and what they load. */
export async function madeExpressions(files: readonly string[]): Promise<readonly Expression[]> {
  const made: Expression[] = [];
  const original = RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, given, self) {
      const expression: RegExp = Reflect.construct(target, given, self);
      const [, place] = caller.exec(new Error().stack ?? '') ?? [];
      if (place !== undefined) made.push({ place, source: expression.source, flags: expression.flags });
      return expression;
    },
  });
  try {
    for (const file of files) await import(join(checkout, file));
  } finally {
    globalThis.RegExp = original;
  }
  return made;
}
