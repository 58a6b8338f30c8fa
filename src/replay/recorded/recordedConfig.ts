import { formatFieldErrors } from '../../base/fieldError.ts';
import type { Config } from '../../config/config.ts';
import { parseConfig } from '../../config/parse.ts';

/** A config as a line of a recording has it. Whoever read the file has seen to it that it can be used. */
export function recordedConfig(file: object): Config {
  const config = parseConfig(JSON.stringify(file), 'recording');
  if (!config.ok) throw new Error(formatFieldErrors(config.error));
  return config.value;
}
