/**
 * Truncates to this many bytes of UTF-8, at a character boundary. The result is a copy: neither does it keep the whole
 * text in memory, nor one of which `text` is a slice.
 */
export function truncate(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return Buffer.from(text).toString();
  const kept = Buffer.alloc(bytes - Buffer.byteLength(ellipsis));
  const { written } = new TextEncoder().encodeInto(text, kept);
  return kept.toString('utf8', 0, written) + ellipsis;
}

const ellipsis = '…';
