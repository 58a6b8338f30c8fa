import { type CodedError, ok, type Result } from '@weeder/kube-runtime/base';
import { codedError } from '../../base/errors.ts';
import { includesName } from '../../config/scopes.ts';
import { type Confidence, type Dependency, isAtLeast, mergeDependencies } from '../../dependencies/dependency.ts';
import { coincidencesIn } from '../../suggest/coincidences.ts';
import type { Observed } from '../../suggest/observed.ts';
import { suggestDependencies } from '../../suggest/suggestDependencies.ts';
import { suggestionConfig } from '../../suggest/suggestionConfig.ts';
import { suggestionLabels } from '../../suggest/suggestionLabels.ts';
import { suggestionTable } from '../../suggest/suggestionTable.ts';
import { optionalConfig } from '../configFile.ts';
import { namespacesOf } from '../flags/readFlags.ts';
import type { SuggestFlags } from '../flags/suggestFlags.ts';
import { fail, printLines, printRemarks } from '../output.ts';
import { printDependencies } from './printDependencies.ts';
import { readRecordedChanges } from './recordedChanges.ts';
import { readSource } from './source.ts';

/** `weeder suggest`: which workloads depend on which services, by the evidence in manifests or in a recording. */
export async function suggest(flags: SuggestFlags): Promise<number> {
  const wrong = wrongFlags(flags);
  if (wrong !== undefined) return fail(wrong);
  const config = await optionalConfig('suggest', flags.configFile);
  if (!config.ok) return fail(config.error);
  const coincidences = await coincidencesOf(flags);
  if (!coincidences.ok) return fail(coincidences.error);
  const source = await readSource(flags, flags.secrets === true ? ['ConfigMap', 'Secret'] : ['ConfigMap']);
  if (!source.ok) return fail(source.error);
  const { observed, named, problems, unsearched, report } = source.value;
  const suggested = suggestDependencies(observed, config.value);
  const dependencies = mergeDependencies([...suggested, ...named, ...coincidences.value]);
  return report(() => {
    show(dependencies, observed, unsearched, flags);
    printRemarks(problems);
  });
}

function wrongFlags({ recording, filename, output, clusterServices }: SuggestFlags): CodedError | undefined {
  if (clusterServices === true && (recording ?? filename) !== undefined)
    return codedError('USAGE', 'The flag --cluster-services reads a cluster: leave out -f and --recording.');
  // These formats contain what the templates of the workloads already declare, or their selectors.
  if (recording === undefined || filename !== undefined || (output !== 'labels' && output !== 'config'))
    return undefined;
  return codedError('USAGE', `The flag -o ${output} needs manifests beside a recording: give them with -f.`);
}

async function coincidencesOf({ recording, ...flags }: SuggestFlags): Promise<Result<Dependency[]>> {
  if (recording === undefined) return ok([]);
  const changes = await readRecordedChanges(recording);
  if (!changes.ok) return changes;
  return ok(
    coincidencesIn(changes.value).filter(({ workload }) => includesName(namespacesOf(flags), workload.namespace)),
  );
}

function show(
  dependencies: readonly Dependency[],
  observed: Observed,
  unsearched: ReadonlyMap<string, number>,
  { confidence, output }: SuggestFlags,
): void {
  const shown = dependencies.filter((each) => isShown(each, confidence));
  if (output === 'table')
    printLines([...suggestionTable(shown), ...remarks(dependencies.length - shown.length, unsearched)]);
  else if (output === 'labels') printLines(suggestionLabels(shown, observed));
  else if (output === 'config') printLines(suggestionConfig(shown, observed));
  else printDependencies(shown, output);
}

/** What is configured or declared is shown in any case. */
function isShown({ sources, confidence }: Dependency, threshold: Confidence): boolean {
  return isAtLeast(confidence, threshold) || sources.some((source) => source !== 'suggested');
}

function remarks(left: number, unsearched: ReadonlyMap<string, number>): string[] {
  const count = [...unsearched.values()].reduce((sum, each) => sum + each, 0);
  const kinds = [...unsearched.keys()].sort();
  const named = kinds.length > 5 ? [...kinds.slice(0, 5), '…'] : kinds;
  const lines = [
    ...(left === 0 ? [] : [`${left} of a lower confidence ${left === 1 ? 'is' : 'are'} not shown: --confidence low`]),
    ...(count === 0
      ? []
      : [`${count} ${count === 1 ? 'object' : 'objects'} of kinds that are not searched: ${named.join(', ')}`]),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}
