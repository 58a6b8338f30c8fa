import { formatFieldErrors } from '../../base/fieldError.ts';
import type { Config } from '../../config/config.ts';
import { parseConfig } from '../../config/parse.ts';

/** A config as a line of a recording has it. The reader of the file has validated it. */
export function recordedConfig(file: object): Config {
  const config = parseConfig(JSON.stringify(file), 'recording');
  if (!config.ok) throw new Error(formatFieldErrors(config.error));
  return config.value;
}
