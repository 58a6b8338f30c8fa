import { failed, ok, type Result } from '@weeder/kube-runtime/base';
import { type FieldError, formatFieldErrors } from '../../base/fieldError.ts';
import type { Config } from '../../config/config.ts';
import type { StoredConfig } from '../../config/configText.ts';
import { parseConfig } from '../../config/parse.ts';
import { withDeclared, withWebhooks } from '../../config/serviceLookup.ts';
import type { RecordedLine } from '../../recording/file/lines.ts';

/** Parses a config as a recording stores it. */
export function parseStoredConfig(
  { config, declared = [], webhooks = {} }: StoredConfig,
  file: string,
): Result<Config, readonly FieldError[]> {
  const parsed = parseConfig(JSON.stringify(config), file);
  if (!parsed.ok) return failed(parsed.error);
  const called = Object.entries(webhooks).map(([name, services]) => [name, new Set(services)] as const);
  return ok(withWebhooks(withDeclared(parsed.value, new Set(declared)), new Map(called)));
}

/** Returns the config at the beginning of a recording, and each later one of the weeder. */
export function recordedConfigs({
  config,
  lines,
}: {
  readonly config: Config;
  readonly lines: readonly RecordedLine[];
}): readonly Config[] {
  return [config, ...lines.flatMap((line) => (line.of === 'weeder' && 'config' in line ? recordedConfig(line) : []))];
}

/** Parses the config in a line of a recording, which the reader of the file has validated. */
export function recordedConfig(stored: StoredConfig): Config {
  const config = parseStoredConfig(stored, 'recording');
  if (!config.ok) throw new Error(formatFieldErrors(config.error));
  return config.value;
}
