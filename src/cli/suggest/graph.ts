import { knownDependencies, mergeDependencies } from '../../dependencies/dependency.ts';
import { suggestDependencies } from '../../suggest/suggestDependencies.ts';
import { optionalConfig } from '../configFile.ts';
import type { GraphFlags } from '../flags/suggestFlags.ts';
import { fail, printRemarks } from '../output.ts';
import { printDependencies } from './printDependencies.ts';
import { readSource } from './source.ts';

/** `weeder graph`: the dependencies that the config and the workloads name, as a picture. */
export async function graph(flags: GraphFlags): Promise<number> {
  const config = await optionalConfig('graph', flags.configFile);
  if (!config.ok) return fail(config.error);
  const source = await readSource(flags, []);
  if (!source.ok) return fail(source.error);
  const { observed, problems, report } = source.value;
  const dependencies = knownDependencies(mergeDependencies(suggestDependencies(observed, config.value)));
  return report(() => {
    printDependencies(dependencies, flags.output);
    printRemarks(problems);
  });
}
