import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** A kind of character that the expression does not distinguish further; -1 is the edge of the text. */
export type Kind = number;
type Condition = (previous: Kind, next: Kind) => boolean;

interface Edge {
  readonly to: State;
  readonly when?: Condition;
  /** False: an assertion that this test does not read as a whole may forbid it. */
  readonly isSure?: boolean;
}

/** Reads one character if `kinds` is set; or else moves on without one, if the condition of an edge holds. */
export interface State {
  readonly kinds?: readonly boolean[];
  readonly edges: Edge[];
}

export interface Automaton {
  readonly start: State;
  readonly accept: State;
  /** A character of each kind. */
  readonly characters: readonly string[];
}

/** They stand for all characters: expressions distinguish those of ASCII, and few others. */
const samples = [...Array(128).keys()].map((code) => String.fromCharCode(code)).concat('é', '\u2028', '\u202e', '…');
/** The copies of what repeats a limited number of times: more would only add a constant. */
const mostCopies = 2;

function isOneCharacter({ type }: AST.Node): boolean {
  return ['Character', 'CharacterSet', 'CharacterClass', 'ExpressionCharacterClass'].includes(type);
}

/**
 * The automaton that an engine with backtracking follows. An assertion that looks ahead or behind is a branch without an
 * end, because the engine reads it and then continues from where it was; its first or last character is also a condition.
 */
export function automatonOf(source: string, flags: string): Automaton {
  const isUnicode = flags.includes('u');
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: isUnicode,
    unicodeSets: flags.includes('v'),
  });
  const { characters, kindsOf } = partition(pattern, flags.replaceAll(/[gymd]/g, ''));
  const isWord = characters.map((each) => /\w/.test(each));
  const isLineEnd = characters.map((each) => /[\n\r\u2028\u2029]/.test(each));
  const isMultiline = flags.includes('m');
  const accept: State = { edges: [] };

  function alternatives(all: readonly AST.Alternative[], next: State): State {
    return { edges: all.map((each) => ({ to: each.elements.reduceRight(fragment, next) })) };
  }

  /** The state from which the node is read before `next`. */
  function fragment(next: State, node: AST.Element): State {
    if (isOneCharacter(node)) return { kinds: kindsOf(node), edges: [{ to: next }] };
    if (node.type === 'Group' || node.type === 'CapturingGroup') return alternatives(node.alternatives, next);
    if (node.type === 'Quantifier') return repeated(node, next);
    if (node.type === 'Assertion') return asserted(node, next);
    throw new Error(`/${source}/ has a ${node.type}, which this test does not know`);
  }

  function repeated({ min, max, element }: AST.Quantifier, next: State): State {
    const loop: State = { edges: [] };
    let state = next;
    if (max === Number.POSITIVE_INFINITY) {
      loop.edges.push({ to: fragment(loop, element) }, { to: next });
      state = loop;
    } else {
      for (let left = Math.min(max - min, mostCopies); left > 0; left--)
        state = { edges: [{ to: fragment(state, element) }, { to: next }] };
    }
    for (let left = Math.min(min, mostCopies); left > 0; left--) state = fragment(state, element);
    return state;
  }

  function asserted(node: AST.Assertion, next: State): State {
    if (node.kind === 'lookahead' || node.kind === 'lookbehind') {
      const aside = { to: alternatives(node.alternatives, { edges: [] }) };
      return { edges: [{ to: next, ...sideOf(node) }, aside] };
    }
    return { edges: [{ to: next, when: conditionOf(node) }] };
  }

  function conditionOf(node: AST.EdgeAssertion | AST.WordBoundaryAssertion): Condition {
    if (node.kind === 'word')
      return (previous, next) => ((isWord[previous] ?? false) !== (isWord[next] ?? false)) !== node.negate;
    const isEdge = (kind: Kind) => kind === -1 || (isMultiline && isLineEnd[kind] === true);
    return node.kind === 'start' ? (previous) => isEdge(previous) : (_, next) => isEdge(next);
  }

  /** What the character beside an assertion must be; unless it is one character, there is more to it. */
  function sideOf({ kind, negate, alternatives: all }: AST.LookaroundAssertion): Omit<Edge, 'to'> {
    const beside = all.map(({ elements }) => elements.at(kind === 'lookahead' ? 0 : -1));
    const known = beside.filter((each) => each !== undefined && isOneCharacter(each));
    const isSure = known.length === beside.length && all.every(({ elements }) => elements.length === 1);
    if (known.length < beside.length || (negate && !isSure)) return { isSure };
    const sets = known.map((each) => kindsOf(each as AST.Element));
    const holds = (character: Kind) => sets.some((set) => set[character] === true) !== negate;
    return { isSure, when: (previous, next) => holds(kind === 'lookahead' ? next : previous) };
  }

  return { start: alternatives(pattern.alternatives, accept), accept, characters };
}

/** Divides the characters into those that no part of the pattern distinguishes. */
function partition(pattern: AST.Pattern, flags: string) {
  const sources = new Set<string>(['\\w', '[\\n\\r\\u2028\\u2029]']);
  const visit = (node: AST.Node): void => {
    if (isOneCharacter(node)) sources.add(node.raw);
    else if ('alternatives' in node) for (const each of node.alternatives) visit(each);
    else if ('elements' in node) for (const each of node.elements) visit(each);
    else if ('element' in node) visit(node.element);
  };
  visit(pattern);
  const tests = new Map([...sources].map((source) => [source, new RegExp(`^${source}$`, flags)]));
  const unlike = Map.groupBy(samples, (sample) =>
    [...tests.values()].map((each) => Number(each.test(sample))).join(''),
  );
  // The last one is usually a letter, which is easier to read.
  const characters = [...unlike.values()].map((each) => each.findLast((one) => /[\w -~]/.test(one)) ?? each[0] ?? '');
  const kindsOf = ({ raw }: AST.Node) => characters.map((each) => tests.get(raw)?.test(each) === true);
  return { characters, kindsOf };
}
