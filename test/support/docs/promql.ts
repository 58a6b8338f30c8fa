/** Keywords of PromQL, which are not metric names. */
const keywords = new Set('and or unless by without on ignoring group_left group_right bool offset'.split(' '));

export interface Mentioned {
  readonly metrics: ReadonlySet<string>;
  /** Labels that a matcher or a grouping names. */
  readonly labels: ReadonlySet<string>;
}

/** The metrics and labels that an expression names. Enough of PromQL for this project's expressions. */
export function mentionedIn(expr: string): Mentioned {
  const labels = new Set<string>();
  const note = (list: string) => {
    for (const [label] of list.matchAll(/[a-z_]\w*/g)) labels.add(label);
    return ' ';
  };
  const bare = expr
    .replace(/"(?:[^"\\]|\\.)*"/g, '')
    .replace(/\{([^}]*)\}/g, (_whole, list: string) => note(list))
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_whole, list: string) => note(list));
  const names = [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w*\s*\()/g)].map(([name]) => name);
  return { metrics: new Set(names.filter((name) => !keywords.has(name))), labels };
}
