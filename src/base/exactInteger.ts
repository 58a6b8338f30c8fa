declare global {
  interface JSON {
    /** Written by `JSON.stringify` letter for letter. */
    rawJSON(text: string): unknown;
  }
}

/**
 * An integer that a JavaScript number would round, as its digits: Kubernetes knows integers up to 64 bits, a number is
 * exact up to 2^53. `JSON.stringify` writes the digits. Equal digits are equal integers.
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

/** The integer that these digits say: as a number where that says the same. */
export function integerOf(digits: string): number | ExactInteger {
  const value = Number(digits);
  return String(value) === digits ? value : new ExactInteger(digits);
}

/** Found at the speed of a search, in texts that hold nothing of the kind as well: first roughly, then where a value is. */
const manyDigits = /\d{16}/;
const longInteger = /(?:^|[:,[])\s*-?\d{16}/;
const integer = /^-?\d{16,}$/;

/** As `JSON.parse`, and throws as that does; an integer that a number would round is an `ExactInteger`. */
export function parseJson(text: string): unknown {
  if (!manyDigits.test(text) || !longInteger.test(text)) return JSON.parse(text);
  return JSON.parse(text, exactly);
}

function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && integer.test(source) ? integerOf(source) : value;
}
