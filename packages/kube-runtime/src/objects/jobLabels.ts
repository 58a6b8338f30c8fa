/** The labels that the Job controller generates in a Job's labels and pod template; they differ for each Job. */
export const generatedJobLabels: ReadonlySet<string> = new Set([
  'controller-uid',
  'job-name',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
]);
