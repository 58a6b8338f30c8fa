import { workloadKindNames } from '../../kube/objects/workloadKinds.ts';
import type { RecordedLine } from '../../recording/lines.ts';
import type { ObserverInput } from '../../recording/observer/observerLines.ts';
import { restartRequests } from '../../recording/restart/recordRestartApi.ts';
import type { RestartInput } from '../../recording/restart/restartLines.ts';
import { readWorkload } from '../../restart/model/workloadSummary.ts';

/** Returns the recorded inputs of restart control. */
export function restartInputs(lines: readonly RecordedLine[]): RestartInput[] {
  return lines.flatMap((line) => ('restart' in line && 'in' in line.restart ? line.restart : []));
}

/** Returns the number of responses to each request. */
export function countResponses(inputs: readonly (RestartInput | ObserverInput)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const input of inputs)
    if (input.in === 'response') counts.set(input.request, (counts.get(input.request) ?? 0) + 1);
  return counts;
}

/** Returns the requests that concern only this workload. */
export function requestsAbout(id: string, object: object): string[] {
  const kind = workloadKindNames.find((name) => id.startsWith(`${name.toLowerCase()}/`));
  const events = kind === undefined ? undefined : readWorkload(object, kind);
  if (events === undefined) return [];
  const { ref, selector } = events;
  const pods = selector === undefined ? [] : [restartRequests.pods(ref.namespace, selector)];
  const ofJobs = [restartRequests.copy(ref), restartRequests.deletion(ref), restartRequests.creation(ref)];
  return [restartRequests.workload(ref), restartRequests.patch(ref), ...ofJobs, ...pods];
}
