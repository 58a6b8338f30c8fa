/** Is it an object with keys? For reading answers whose shape nobody guarantees. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
