import type { Config } from '../config/config.ts';
import { type ConfigFault, formatFault, formatFaults } from '../config/fault.ts';
import { readConfigFile } from '../config/read.ts';
import { failed, type Problem, problem, type Result } from '../errors.ts';

/** The config that `--config-file` names, for the verb that needs it. */
export async function loadConfig(verb: string, path: string | undefined): Promise<Result<Config>> {
  if (!path) return failed(problem('USAGE', `weeder ${verb} needs --config-file FILE.`));
  const config = await readConfigFile(path);
  return config.ok ? config : failed(problemOf(path, config.problem));
}

function problemOf(path: string, faults: readonly ConfigFault[]): Problem {
  const [first] = faults;
  if (first !== undefined && faults.length === 1) return problem(first.code, `${formatFault(first)}.`);
  return problem('CONFIG_INVALID', `The config ${path} has ${faults.length} faults:\n${formatFaults(faults)}`);
}
