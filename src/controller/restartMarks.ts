/**
 * What restart control writes on workloads, and nobody else: `state` and `emptied` are annotations of the workload,
 * `template` is one of its pod template.
 */
export const restartMarks = {
  state: 'weeder.dev/dependencies',
  emptied: 'weeder.dev/emptied',
  template: 'weeder.dev/dependencies-hash',
} as const;

/** What every change cause that restart control writes begins with: any other is the user's own. */
export const changeCauseMark = 'weeder: ';
