/**
 * Divides sorted names into parts whose texts, joined by commas, are at most `longest` characters long. Names stay in
 * the part where they were before, and new ones fill the shortest parts, unless that leaves more than twice as many
 * parts as are needed.
 */
export function partition(
  names: readonly string[],
  before: readonly ReadonlySet<string>[],
  longest: number,
): readonly (readonly string[])[] {
  const fewest = fill(names, [], longest);
  if (fewest.length <= 1) return fewest;
  const remaining = new Set(names);
  const kept = before.map((part) => [...part].filter((name) => remaining.delete(name)));
  const parts = fill([...remaining], kept, longest);
  return parts.length > 2 * fewest.length ? fewest : parts;
}

function fill(
  names: readonly string[],
  begun: readonly (readonly string[])[],
  longest: number,
): readonly (readonly string[])[] {
  const parts = begun
    .filter((part) => part.length > 0)
    .map((part) => ({ names: [...part], length: part.join().length }))
    .sort((a, b) => a.length - b.length);
  let filled = 0;
  for (const name of names) {
    while ((parts[filled]?.length ?? 0) + 1 + name.length > longest) filled += 1;
    const part = parts[filled];
    if (part === undefined) parts.push({ names: [name], length: name.length });
    else {
      part.names.push(name);
      part.length += 1 + name.length;
    }
  }
  return parts.map((part) => part.names.sort());
}
