import { type Drawing, type DrawnState, type DrawnTransition, statesIn } from './drawing.ts';

/** All transitions from one state to another. */
export interface Way {
  readonly from: string;
  readonly to: string;
  readonly transitions: readonly DrawnTransition[];
  /** It is drawn as an arrow; otherwise as words in the box of its source. */
  readonly isArrow: boolean;
}

/**
 * The ways of a machine, one for each pair of states. Only failures and repetitions are words, so that the arrows show
 * the main way. A repetition leads back to a state that every way to its source has passed. What follows only after a
 * failure belongs to it. Each state that nothing else leads to has one of them as an arrow.
 */
export function waysOf({ root, transitions }: Drawing): Way[] {
  const states = new Map(statesIn(root).map((state) => [state.id, state]));
  const isMain = (transition: DrawnTransition) => isOnMainWay(transition, states, root, transitions);
  const ways = [...pairsOf(transitions).values()].map((way) => ({ ...way, isArrow: way.transitions.some(isMain) }));
  const isReached = reachedFrom(root, states, transitions);
  for (const state of statesIn(root)) {
    const into = ways.filter(({ from, to }) => isWithin(to, state) && !isWithin(from, state));
    if (hasOwnDot(state, root) || into.some(({ isArrow }) => isArrow)) continue;
    const first = into.find(({ from }) => leavesIn(states.get(from)).some((leaf) => isReached.has(leaf))) ?? into[0];
    if (first !== undefined) first.isArrow = true;
  }
  return ways;
}

/** Whether a state is this one, or in it. */
export function isWithin(id: string, state: DrawnState): boolean {
  return statesIn(state).some((each) => each.id === id);
}

function isFailure({ when }: DrawnTransition): boolean {
  return /(\.(failed|rejected|refused|conflicted)| failed)$/.test(when);
}

/** Whether a way without failures and repetitions uses a transition. */
function isOnMainWay(
  transition: DrawnTransition,
  states: ReadonlyMap<string, DrawnState>,
  root: DrawnState,
  transitions: readonly DrawnTransition[],
): boolean {
  if (isFailure(transition)) return false;
  const targets = enteredWith(states.get(transition.to ?? ''), states);
  return targets.some((target) => {
    const reached = reachedFrom(root, states, transitions, target);
    return leavesIn(states.get(transition.from)).some((leaf) => reached.has(leaf));
  });
}

/** The innermost states that can be reached without failures, and without one of them. */
function reachedFrom(
  root: DrawnState,
  states: ReadonlyMap<string, DrawnState>,
  transitions: readonly DrawnTransition[],
  without?: string,
): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (leaf: string): void => {
    if (leaf === without || reached.has(leaf)) return;
    reached.add(leaf);
    for (const transition of transitions) {
      const source = states.get(transition.from);
      if (source === undefined || !isWithin(leaf, source) || isFailure(transition)) continue;
      enteredWith(states.get(transition.to ?? ''), states).forEach(visit);
    }
  };
  enteredWith(root, states).forEach(visit);
  return reached;
}

/** The innermost states that are active when a state has been entered. */
function enteredWith(state: DrawnState | undefined, states: ReadonlyMap<string, DrawnState>): string[] {
  if (state === undefined) return [];
  if (state.kind === 'parallel') return state.children.flatMap((child) => enteredWith(child, states));
  return state.initial === undefined ? [state.id] : enteredWith(states.get(state.initial), states);
}

function leavesIn(state: DrawnState | undefined): string[] {
  if (state === undefined) return [];
  return statesIn(state)
    .filter(({ children }) => children.length === 0)
    .map(({ id }) => id);
}

/** Whether a state is entered with its parent: a dot or the dashed box of a region shows that. */
function hasOwnDot({ id }: DrawnState, root: DrawnState): boolean {
  const parent = statesIn(root).find(({ children }) => children.some((child) => child.id === id));
  return parent === undefined || parent.kind === 'parallel' || parent.initial === id;
}

function pairsOf(transitions: readonly DrawnTransition[]): ReadonlyMap<string, Omit<Way, 'isArrow'>> {
  const pairs = new Map<string, Omit<Way, 'isArrow'>>();
  for (const transition of transitions) {
    const { from, to } = transition;
    if (to === undefined) continue;
    const key = `${from} ${to}`;
    pairs.set(key, { from, to, transitions: [...(pairs.get(key)?.transitions ?? []), transition] });
  }
  return pairs;
}
