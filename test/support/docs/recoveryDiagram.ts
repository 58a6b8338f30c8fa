import { endpoint } from '../../../machines/weeder/endpoint.ts';
import { type DrawnState, drawingOf } from '../../../src/diagram/drawing.ts';

/** The states of the endpoint machine in a recovery, in words. Start-up, gaps in a stream and settings are left out. */
const words: Readonly<Record<string, string>> = {
  'notReady.idle': 'down',
  'ready.windowOpen.settled': 'window open',
  'notReady.holding': 'down, window held',
  'ready.idle': 'idle',
};
const events = ['endpoint.ready', 'endpoint.notReady', 'window.closed'];

/** The endpoint machine, reduced to what happens in a recovery, as a Mermaid diagram. */
export function recoveryDiagram(): string {
  const { root, transitions } = drawingOf(endpoint);
  const names = Object.keys(words).map(idOf);
  const arrows = transitions
    .filter(({ when }) => events.includes(when))
    .flatMap(({ from, to = from, when }) => sources(from).map((source) => ({ from: source, to: initialOf(to), when })))
    .filter(({ from, to }) => from in words && to in words && from !== to)
    .map(({ from, to, when }) => `  ${idOf(from)} --> ${idOf(to)} : ${when}`);
  return [
    'stateDiagram-v2',
    '  direction LR',
    `  [*] --> ${names[0]}`,
    ...Object.entries(words).map(([id, text]) => `  state "${text}" as ${idOf(id)}`),
    ...new Set(arrows),
  ].join('\n');

  /** The innermost states in which the transitions of this state are possible. */
  function sources(id: string): string[] {
    return leavesOf(stateNamed(id)).map((leaf) => leaf.id);
  }

  function initialOf(id: string): string {
    const { initial } = stateNamed(id);
    return initial === undefined ? id : initialOf(initial);
  }

  function stateNamed(id: string): DrawnState {
    const found = [root, ...below(root)].find((state) => state.id === id);
    if (found === undefined) throw new Error(`the machine has no state ${id}`);
    return found;
  }
}

function below(state: DrawnState): DrawnState[] {
  return state.children.flatMap((child) => [child, ...below(child)]);
}

function leavesOf(state: DrawnState): DrawnState[] {
  return state.children.length === 0 ? [state] : state.children.flatMap(leavesOf);
}

function idOf(path: string): string {
  return path.replaceAll('.', '_');
}
