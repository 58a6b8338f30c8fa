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
  return JSON.parse(text, exactly);
}

function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && integer.test(source) ? integerOf(source) : value;
}
