/** An error as a value: the code, a sentence that says what is wrong and where, and a hint on what to do. */
export interface CodedError<Code extends string = string> {
  readonly code: Code;
  readonly message: string;
  readonly hint: string;
}

/** What the documentation says of each code: one row for each. */
export type ErrorTable = Readonly<Record<string, { readonly meaning: string; readonly hint: string }>>;

/** The result of an operation that can fail in an expected way: the value, or the error. */
export type Result<T, E = CodedError> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

/** Returns what creates an error of a table, with the hint of the table or with a more specific one. */
export function codedErrors<Code extends string>(table: Readonly<Record<Code, ErrorTable[string]>>) {
  return (code: Code, message: string, hint: string = table[code].hint): CodedError<Code> => ({ code, message, hint });
}

export function ok<T>(value: T): Result<T, never> {
  return { ok: true, value };
}

export function failed<E>(reason: E): Result<never, E> {
  return { ok: false, error: reason };
}

/** The message of any thrown value, for a sentence or a log line. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
