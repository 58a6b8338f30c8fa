import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
} from 'yaml';
import { oneLine, type Path } from '../../base/fieldError.ts';
import { aliasTargets } from './aliases.ts';
import { keyOf } from './keys.ts';
import type { Located, LocatedError } from './located.ts';
import { plainScalar } from './scalars.ts';

/** The values of a document with their positions. */
export interface LocatedDocument {
  readonly root: Located;
  /** Invalid keys; the other values are valid. */
  readonly errors: readonly LocatedError[];
  /** Errors that make the values themselves unknown, so that validating them would only add noise. */
  readonly broken: readonly LocatedError[];
}

interface Walk {
  readonly targets: ReadonlyMap<Node, Node>;
  readonly expanding: Set<Node>;
  readonly errors: LocatedError[];
  readonly broken: LocatedError[];
  readonly lineOf: (offset: number) => number;
  readonly max: Leniency;
  fromAliases: number;
}

type Children = Map<PropertyKey, Located>;

const none: Located['children'] = new Map();

const maxFromAliases = 100_000;

/** The limits of a document. */
interface Leniency {
  /** The maximum depth of its values. */
  readonly depth: number;
  /** Whether a key may look like a number; user-defined keys, such as those of a ConfigMap, may. */
  readonly takesNumbers: boolean;
}

/** No config is nested as deeply, and none of its keys is a number. */
const strict: Leniency = { depth: 50, takesNumbers: false };

/**
 * The values of a parsed document with their positions. Aliases and merge keys are expanded up to a limit, so that a
 * small file cannot expand into a huge one.
 */
export function locate(
  document: Document,
  lineOf: (offset: number) => number,
  max: Leniency = strict,
): LocatedDocument {
  const targets = aliasTargets(document.contents);
  const walk: Walk = { targets, expanding: new Set(), errors: [], broken: [], lineOf, max, fromAliases: 0 };
  const root = locateNode(walk, document.contents, [], undefined);
  return { root, errors: walk.errors, broken: walk.broken };
}

function locateNode(walk: Walk, node: unknown, path: Path, keyOffset: number | undefined): Located {
  if (walk.expanding.size > 0) walk.fromAliases += 1;
  const leaf = emptyAt(startOf(node) ?? keyOffset ?? 0, keyOffset);
  if (isAlias(node)) return locateAlias(walk, node, path, leaf);
  if (isScalar(node)) return { ...leaf, ...readScalar(node) };
  const { depth } = walk.max;
  if (path.length > depth) return broken(walk, path, leaf, `nested more than ${depth} levels deep`);
  const children: Children = new Map();
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      children.set(index, locateNode(walk, item, [...path, index], undefined));
    }
    return { ...leaf, value: Array.from(children.values(), (child) => child.value), children };
  }
  if (!isMap(node)) return leaf;
  locatePairs(walk, node.items, path, children);
  const value = Object.fromEntries(Array.from(children, ([key, child]) => [key, child.value]));
  return { ...leaf, value, children };
}

function locatePairs(walk: Walk, pairs: readonly unknown[], path: Path, children: Children): void {
  const merged: unknown[] = [];
  const lines = new Map<string, number>();
  for (const pair of pairs.filter(isPair)) {
    const offset = startOf(pair.key) ?? startOf(pair.value) ?? 0;
    const key = keyOf(isAlias(pair.key) ? walk.targets.get(pair.key) : pair.key, walk.max.takesNumbers);
    if (!key.ok) {
      walk.errors.push({ offset, path, message: key.error });
    } else if (key.value === mergeKey && isPlain(pair.key)) {
      merged.push(pair.value);
    } else {
      const keyPath = [...path, key.value];
      const earlier = lines.get(key.value);
      if (earlier !== undefined) {
        const message = `written twice: first on line ${earlier}, again on line ${walk.lineOf(offset)}`;
        walk.errors.push({ offset, path: keyPath, message, isRepeatedKey: true });
      }
      lines.set(key.value, earlier ?? walk.lineOf(offset));
      children.set(key.value, locateNode(walk, pair.value, keyPath, offset));
    }
  }
  for (const source of merged) mergeInto(walk, source, path, children);
}

const mergeKey = '<<';

/** YAML's merge key: explicit keys override merged ones, and earlier sources override later ones. */
function mergeInto(walk: Walk, source: unknown, path: Path, children: Children): void {
  const brokenBefore = walk.broken.length;
  const from = locateNode(walk, source, [...path, mergeKey], startOf(source));
  if (walk.broken.length > brokenBefore || walk.fromAliases > maxFromAliases) return;
  const sources = Array.isArray(from.value) ? [...from.children.values()] : [from];
  for (const merged of sources) {
    if (merged.value === null || typeof merged.value !== 'object' || Array.isArray(merged.value)) {
      broken(walk, [...path, mergeKey], merged, 'only a mapping, or a list of mappings, can be merged');
    }
    for (const [key, child] of merged.children) if (!children.has(key)) children.set(key, child);
  }
}

function locateAlias(walk: Walk, alias: Alias, path: Path, leaf: Located): Located {
  const target = walk.targets.get(alias);
  const name = oneLine(`*${alias.source}`);
  if (target === undefined) return broken(walk, path, leaf, `${name} refers to an anchor that is not set before it`);
  if (walk.expanding.has(target)) return broken(walk, path, leaf, `${name} refers to a value that contains it`);
  if (walk.fromAliases > maxFromAliases) return leaf;
  walk.expanding.add(target);
  const value = locateNode(walk, target, path, leaf.keyOffset);
  walk.expanding.delete(target);
  const isTooMuch = walk.expanding.size === 0 && walk.fromAliases > maxFromAliases;
  if (!isTooMuch) return value;
  return broken(walk, path, leaf, `aliases up to here expand to more than ${maxFromAliases} values: use fewer`);
}

function broken(walk: Walk, path: Path, leaf: Located, message: string): Located {
  walk.broken.push({ offset: leaf.offset, path, message });
  return leaf;
}

function emptyAt(offset: number, keyOffset: number | undefined): Located {
  return { value: null, offset, keyOffset, source: undefined, children: none };
}

function readScalar(scalar: Scalar): Pick<Located, 'value' | 'source'> {
  if (!isPlain(scalar)) return { value: scalar.value, source: undefined };
  const source = scalar.source ?? '';
  return { value: plainScalar(source), source };
}

/** Unquoted and without a tag such as `!!str`: its type depends on its text. */
function isPlain(node: unknown): boolean {
  return isScalar(node) && node.tag === undefined && (node.type === 'PLAIN' || node.type === undefined);
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
