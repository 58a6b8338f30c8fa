import { formatFieldErrors } from '../../base/fieldError.ts';
import type { Config } from '../../config/config.ts';
import { parseConfig } from '../../config/parse.ts';

/** Parses the config in a line of a recording, which the reader of the file has validated. */
export function recordedConfig(file: object): Config {
  const config = parseConfig(JSON.stringify(file), 'recording');
  if (!config.ok) throw new Error(formatFieldErrors(config.error));
  return config.value;
}
