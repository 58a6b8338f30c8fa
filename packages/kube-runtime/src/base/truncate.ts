/**
 * Truncates to this many bytes of UTF-8, at a character boundary. The result is a copy, which does not keep the whole
 * text in memory.
 */
export function truncate(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const kept = Buffer.alloc(bytes - Buffer.byteLength(ellipsis));
  const { written } = new TextEncoder().encodeInto(text, kept);
  return kept.toString('utf8', 0, written) + ellipsis;
}

const ellipsis = '…';
