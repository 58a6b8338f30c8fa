declare global {
  interface JSON {
    /** `JSON.stringify` writes this text verbatim. */
    rawJSON(text: string): unknown;
  }
}

/**
 * An integer that a JavaScript number would round, stored as its digits: Kubernetes has integers up to 64 bits, and a
 * number is exact only up to 2^53. `JSON.stringify` writes the digits. Equal digits are equal integers.
 */
export class ExactInteger {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toJSON(): unknown {
    return JSON.rawJSON(this.digits);
  }

  toString(): string {
    return this.digits;
  }
}

/** The integer with these digits: a number if that is exact. */
export function integerOf(digits: string): number | ExactInteger {
  const value = Number(digits);
  return String(value) === digits ? value : new ExactInteger(digits);
}

/**
 * Detects candidates at the speed of a text search, so that ordinary texts cost little: first roughly, then at the
 * position of a value.
 */
const manyDigits = /\d{16}/;
const longInteger = /(?:^|[:,[])\s*-?\d{16}/;
const integer = /^-?\d{16,}$/;

/** Like `JSON.parse`, including its errors, but an integer that a number would round becomes an `ExactInteger`. */
export function parseJson(text: string): unknown {
  if (!manyDigits.test(text) || !longInteger.test(text)) return JSON.parse(text);
  try {
    return JSON.parse(text, exactly);
  } catch (error) {
    if (error instanceof RangeError) return parseDeep(text);
    throw error;
  }
}

/** Not the digits after a point or in an exponent. */
const stringOrInteger = /"[^"\\]*(?:\\.[^"\\]*)*"?|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/gs;

/** `JSON.parse` overflows the stack at some thousand levels with a function, and never without one. */
function parseDeep(text: string): unknown {
  const mark = crypto.randomUUID();
  const root = {
    value: JSON.parse(text.replace(stringOrInteger, (part) => (part.startsWith('"') ? part : `"${mark}${part}"`))),
  };
  const ahead: unknown[] = [root];
  for (let here = ahead.pop(); here !== undefined; here = ahead.pop()) {
    if (typeof here !== 'object' || here === null) continue;
    for (const [key, value] of Object.entries(here)) {
      if (typeof value === 'string' && value.startsWith(mark))
        Reflect.set(here, key, integerOf(value.slice(mark.length)));
      else if (typeof value === 'object' && value !== null) ahead.push(value);
    }
  }
  return root.value;
}

function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && integer.test(source) ? integerOf(source) : value;
}
