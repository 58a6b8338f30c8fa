import { isAlias, isCollection, isMap, isScalar, isSeq, type Node } from 'yaml';

/**
 * The node that each alias refers to: the last anchor of its name before it, as YAML defines it. The walk is iterative,
 * because the depth of the file has not been checked yet, and done once, because the library's own look-up is one walk
 * per alias.
 */
export function aliasTargets(contents: unknown): ReadonlyMap<Node, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Node, Node>();
  const ahead: unknown[] = [contents];
  while (ahead.length > 0) {
    const node = ahead.pop();
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target !== undefined) targets.set(node, target);
    } else if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) {
      anchors.set(node.anchor, node);
    }
    for (const child of childrenOf(node)) ahead.push(child);
  }
  return targets;
}

/** The direct children of a node, last first. */
function childrenOf(node: unknown): readonly unknown[] {
  if (isSeq(node)) return node.items.toReversed();
  return isMap(node) ? node.items.toReversed().flatMap((pair) => [pair.value, pair.key]) : [];
}
