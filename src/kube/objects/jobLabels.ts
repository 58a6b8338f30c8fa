/** What the Job controller writes into a Job's labels and pod template: each Job gets its own. */
export const generatedJobLabels: ReadonlySet<string> = new Set([
  'controller-uid',
  'job-name',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
]);
