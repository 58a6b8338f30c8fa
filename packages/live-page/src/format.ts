export { count, instant, span } from '../protocol/format.ts';

/** Formats `ready.windowOpen.settled` as `ready › windowOpen › settled`. */
export function statePath(state: string): string {
  return state.replaceAll('.', ' › ');
}

/** The active states without an active substate. */
export function innermost(states: readonly string[]): string[] {
  return states.filter((state) => !states.some((other) => other.startsWith(`${state}.`)));
}
