import { type Config, distinctSelectors } from '../config/config.ts';
import type { RecordedLine } from '../recording/lines.ts';
import { isOfSomeServices, planStreams } from '../weeder/streamPlan.ts';
import { applicationLimitations } from './observer/whatIfApplications.ts';
import { recordedConfig } from './recorded/recordedConfig.ts';
import type { RecordingFile } from './recorded/recordingFile.ts';

/** What a config asks of a recording that was made with another one, and it cannot say: one sentence each. */
export function limitationsOf(recording: RecordingFile, config: Config, unread: readonly string[] = []): string[] {
  const { header, config: recorded, lines } = recording;
  const later = lines.flatMap((line) => ('config' in line ? recordedConfig(line.config) : []));
  const configs = [recorded, ...later];
  const watched = configs.map(watchedBy);
  const services = [...config.services.keys()];
  const selectors = [...distinctSelectors(config).keys()];
  const never = (has: (then: Watched) => boolean) => !watched.some(has);
  const notAlways = (has: (then: Watched) => boolean) => !watched.every(has) && watched.some(has);
  const deletions = lines.flatMap((line) =>
    'about' in line && line.out === 'pod.deleted' ? `${line.t} ${line.pod}` : [],
  );
  // A deletion for several windows is recorded once for each.
  const deleted = new Set(deletions).size;
  return [
    ...services
      .filter((name) => never((then) => then.hasService(name)))
      .map((name) => `service ${name} was not watched: nothing is known of it`),
    ...services
      .filter((name) => notAlways((then) => then.hasService(name)))
      .map(
        (name) => `service ${name} was not watched all the time, as the config changed: then nothing is known of it`,
      ),
    ...selectors
      .filter((text) => never((then) => then.hasPods(text)))
      .map((text) => `pods ${text} were not watched: known are those that a watched selector selected too`),
    ...selectors
      .filter((text) => notAlways((then) => then.hasPods(text)))
      .map((text) => `pods ${text} were not watched all the time, as the config changed`),
    ...(header.namespaces === 'all' ? [] : [`only these namespaces were watched: ${header.namespaces.join(', ')}`]),
    ...(deleted === 0 || header.isDryRun
      ? []
      : [`${podsOf(deleted)} deleted then: what they would have done is unknown`]),
    ...(config.restart === undefined ? [] : unrecordedRestarts(lines, unread)),
    ...applicationLimitations(recording, config, configs),
  ];
}

function unrecordedRestarts(lines: readonly RecordedLine[], unread: readonly string[]): string[] {
  if (!lines.some((line) => 'restart' in line))
    return ['restart control was not recorded: nothing is known of workloads'];
  return [
    'how long the rollout of a restart would have taken: it counts as over at once',
    ...unread.map((source) => `the content of ${source} was not read: each write of it counts as a change`),
  ];
}

function podsOf(count: number): string {
  return count === 1 ? '1 pod was' : `${count} pods were`;
}

/** What the streams of a config bring. */
interface Watched {
  hasService(name: string): boolean;
  /** By the canonical text of a podSelector. */
  hasPods(selector: string): boolean;
}

function watchedBy(config: Config): Watched {
  const plans = planStreams(config, 'all');
  const hasAllServices = plans.some(({ kind, labelSelector }) => kind !== 'Pod' && !isOfSomeServices(labelSelector));
  const selectors = new Set(plans.flatMap(({ kind, labelSelector }) => (kind === 'Pod' ? labelSelector : [])));
  return {
    hasService: (name) => hasAllServices || config.services.has(name),
    hasPods: (selector) => selectors.has('') || selectors.has(selector),
  };
}
