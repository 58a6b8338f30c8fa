import type { Config } from '../config/config.ts';
import { selectorToString } from '../kube/selector.ts';
import { virtualClock } from '../virtualClock.ts';
import { type StreamNeed, streamsOf } from '../weeder/streams.ts';
import { createWeeder } from '../weeder/weeder.ts';
import type { RecordingFile } from './recordingFile.ts';

/** What a config asks of a recording that was made with another one, and it cannot say: one sentence each. */
export function unrecorded({ header, config: recorded, lines }: RecordingFile, config: Config): string[] {
  const streams = streamsThen(recorded);
  const hasAllServices = streams.some(({ kind, labelSelector }) => kind !== 'Pod' && !labelSelector.includes(' in ('));
  const selectors = new Set(streams.flatMap(({ kind, labelSelector }) => (kind === 'Pod' ? labelSelector : [])));
  const hasAllPods = selectors.has('');
  const services = [...config.services.keys()].filter((name) => !hasAllServices && !recorded.services.has(name));
  const unselected = [...config.services.values()]
    .flatMap(({ podSelectors }) => podSelectors.map(selectorToString))
    .filter((text) => !hasAllPods && !selectors.has(text));
  const deletions = lines.flatMap((line) =>
    'about' in line && line.out === 'pod.deleted' ? `${line.t} ${line.pod}` : [],
  );
  // A deletion that several windows wanted is told once for each.
  const deleted = new Set(deletions).size;
  return [
    ...services.map((name) => `service ${name} was not watched: nothing is known of it`),
    ...[...new Set(unselected)].map(
      (text) => `pods ${text} were not watched: known are those that a watched selector selected too`,
    ),
    ...(header.namespaces === 'all' ? [] : [`only these namespaces were watched: ${header.namespaces.join(', ')}`]),
    ...(deleted === 0 || header.isDryRun
      ? []
      : [`${podsOf(deleted)} deleted then: what they would have done is unknown`]),
  ];
}

function podsOf(count: number): string {
  return count === 1 ? '1 pod was' : `${count} pods were`;
}

/** The streams of the weeder that was recorded. */
function streamsThen(config: Config): readonly StreamNeed[] {
  const weeder = createWeeder({
    config,
    runtime: { clock: virtualClock() },
    concurrentDeletions: 1,
    isDryRun: true,
    random: () => 0,
    report: () => {},
    readySince: async () => undefined,
    deletePod: async () => ({ type: 'delete.accepted' }),
  });
  return streamsOf(weeder, config, 'all');
}
