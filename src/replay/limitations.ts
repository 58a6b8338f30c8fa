import { type Config, distinctSelectors } from '../config/config.ts';
import type { RecordedLine } from '../recording/file/lines.ts';
import { isOfSomeServices, planStreams } from '../weeder/streamPlan.ts';
import { recordedConfigs } from './played/recordedConfig.ts';
import type { RecordingFile } from './recorded/recordingFile.ts';

/**
 * Returns one sentence for each fact that a config depends on and a recording, made with another config, does not have.
 */
export function limitationsOf(recording: RecordingFile, config: Config): string[] {
  const { header, lines } = recording;
  const watched = recordedConfigs(recording).map(watchedBy);
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
      .map((name) => `service ${name} was not watched: its state is unknown`),
    ...services
      .filter((name) => notAlways((then) => then.hasService(name)))
      .map(
        (name) => `service ${name} was not watched all the time, because the config changed: its state then is unknown`,
      ),
    ...selectors
      .filter((text) => never((then) => then.hasPods(text)))
      .map((text) => `pods ${text} were not watched: only those that a watched selector also selects are known`),
    ...selectors
      .filter((text) => notAlways((then) => then.hasPods(text)))
      .map((text) => `pods ${text} were not watched all the time, because the config changed`),
    ...(config.declared !== undefined && never((then) => then.hasDeclarations)
      ? ['pods that declare dependencies were not watched: their state is unknown']
      : []),
    ...(config.declared !== undefined && notAlways((then) => then.hasDeclarations)
      ? ['pods that declare dependencies were not watched all the time, because the config changed']
      : []),
    ...(header.namespaces === 'all' ? [] : [`only these namespaces were watched: ${header.namespaces.join(', ')}`]),
    ...(deleted === 0 || header.isDryRun
      ? []
      : [`${podsOf(deleted)} deleted then: what they would have done is unknown`]),
    ...ofOtherControllers(lines, config),
  ];
}

/** Whether a restart or a correction is due depends on content that a recording does not have. */
function ofOtherControllers(lines: readonly RecordedLine[], { podCreation, restart, observer }: Config): string[] {
  const hasRestarts = restart !== undefined || lines.some((line) => line.of === 'restart');
  const hasApplications = observer !== undefined || lines.some((line) => line.of === 'observer');
  return [
    ...(podCreation === undefined
      ? []
      : ['objects without pods: only deletions are decided again with another config']),
    ...(hasRestarts ? ['restarts: only deletions are decided again with another config'] : []),
    ...(hasApplications ? ['applications: only deletions are decided again with another config'] : []),
  ];
}

function podsOf(count: number): string {
  return count === 1 ? '1 pod was' : `${count} pods were`;
}

/** What the streams of a config deliver. */
interface Watched {
  hasService(name: string): boolean;
  /** By the canonical text of a podSelector. */
  hasPods(selector: string): boolean;
  /** The pods that declare dependencies. */
  readonly hasDeclarations: boolean;
}

function watchedBy(config: Config): Watched {
  const plans = planStreams(config, 'all');
  const slices = plans.filter(({ kind }) => kind === 'EndpointSlice');
  const selectors = new Set(plans.flatMap(({ kind, labelSelector }) => (kind === 'Pod' ? labelSelector : [])));
  return {
    hasService: (name) => slices.some((each) => each.covers.has(name) || !isOfSomeServices(each.labelSelector)),
    hasPods: (selector) => selectors.has('') || selectors.has(selector),
    hasDeclarations: config.declared !== undefined,
  };
}
