/**
 * The annotations that only restart control writes: `state` and `emptied` on a workload, `template` on its pod template.
 */
export const restartMarks = {
  state: 'weeder.dev/dependencies',
  emptied: 'weeder.dev/emptied',
  template: 'weeder.dev/dependencies-hash',
} as const;

/** The prefix of every change cause that restart control writes: any other is the user's own. */
export const changeCauseMark = 'weeder: ';
