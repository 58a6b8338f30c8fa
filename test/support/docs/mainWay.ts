import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

/** A transition, as `from:to` with the paths of its states; the machine itself has its own id. */
interface Step {
  readonly way: string;
  readonly source: AnyStateNode;
  /** The innermost states that are active after it. */
  readonly targets: readonly AnyStateNode[];
  readonly isFailure: boolean;
}

/**
 * The transitions that a picture has to show as arrows, because a way from the initial state takes them that neither
 * fails nor returns to a state. Read from the machine alone, and not with the code that draws it.
 */
export function mainWays(machine: AnyStateMachine): string[] {
  const steps = nodesIn(machine.root).flatMap(stepsFrom);
  const begins = entered(machine.root);
  const isMain = ({ source, targets, isFailure }: Step) =>
    !isFailure && targets.some((target) => [...reached(begins, steps, target)].some((leaf) => isIn(leaf, source)));
  return [...new Set(steps.filter(isMain).map(({ way }) => way))];
}

/** All innermost states to which steps without failures lead, without those that lead through one of them. */
function reached(
  begins: readonly AnyStateNode[],
  steps: readonly Step[],
  without: AnyStateNode,
): ReadonlySet<AnyStateNode> {
  const leaves = new Set(begins.filter((leaf) => leaf !== without));
  for (const leaf of leaves) {
    for (const { source, targets, isFailure } of steps) {
      if (isFailure || !isIn(leaf, source)) continue;
      for (const target of targets) if (target !== without) leaves.add(target);
    }
  }
  return leaves;
}

function stepsFrom(source: AnyStateNode): Step[] {
  const transitions: AnyTransitionDefinition[] = [...(source.always ?? []), ...[...source.transitions.values()].flat()];
  return transitions.flatMap(({ target, eventType }) => {
    const [to] = target ?? [];
    if (to === undefined) return [];
    const isFailure = /^xstate\.error\.|\.(failed|rejected|refused|conflicted)$/.test(eventType);
    return { way: `${pathOf(source)}:${pathOf(to)}`, source, targets: entered(to), isFailure };
  });
}

function nodesIn(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(nodesIn)];
}

function entered(node: AnyStateNode): AnyStateNode[] {
  if (node.type === 'parallel') return Object.values(node.states).flatMap(entered);
  return node.type === 'compound' ? (node.initial?.target ?? []).flatMap(entered) : [node];
}

function isIn(node: AnyStateNode | undefined, outer: AnyStateNode): boolean {
  return node !== undefined && (node === outer || isIn(node.parent, outer));
}

function pathOf({ path, key }: AnyStateNode): string {
  return path.length === 0 ? key : path.join('.');
}
