const known = new Map<string, string>();
const most = 50_000;

/**
 * The same text, once: 1,000 applications of the same kind have the same paths, and each path would be there a thousand
 * times. What is kept is bounded; a text beyond that is one more copy, and nothing else.
 */
export function interned(text: string): string {
  const first = known.get(text);
  if (first !== undefined) return first;
  if (known.size >= most) known.clear();
  known.set(text, text);
  return text;
}
