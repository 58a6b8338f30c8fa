import { type CodedError, failed, ok, type Result } from '@weeder/kube-runtime/base';
import { codedError } from '../base/errors.ts';
import { type FieldError, formatFieldError, formatFieldErrors } from '../base/fieldError.ts';
import type { Config } from '../config/config.ts';
import { parseConfig, shortConfig } from '../config/parse.ts';
import { readConfigFile, readConfigText } from '../config/read.ts';

/** Reads the config of `--config-file`, for a verb that requires it. */
export async function loadConfig(verb: string, path: string | undefined): Promise<Result<Config>> {
  if (!path) return failed(codedError('USAGE', `weeder ${verb} needs --config-file FILE.`));
  const config = await readConfigFile(path);
  return config.ok ? config : failed(problemOf(path, config.error));
}

/** The same, for a verb that can do without a config. */
export async function optionalConfig(verb: string, path: string | undefined): Promise<Result<Config | undefined>> {
  return path === undefined ? ok(undefined) : loadConfig(verb, path);
}

/** A config with its source text. */
export interface OpenedConfig {
  readonly file: string;
  readonly text: string;
  readonly config: Config;
}

/** The same, for a verb that also watches the file. */
export async function openConfig(verb: string, path: string | undefined): Promise<Result<OpenedConfig>> {
  if (!path) return failed(codedError('USAGE', `weeder ${verb} needs --config-file FILE.`));
  const text = await readConfigText(path);
  if (!text.ok) return failed(problemOf(path, text.error));
  const config = await parseApart(text.value, path);
  return config.ok ? ok({ file: path, text: text.value, config: config.value }) : failed(problemOf(path, config.error));
}

/** Parsing YAML needs a hundred times its size in memory, which a thread returns when it ends. */
async function parseApart(text: string, file: string): Promise<ReturnType<typeof parseConfig>> {
  if (text.length <= shortConfig) return parseConfig(text, file, { hasLines: true });
  const { parseInWorker } = await import('../config/parseInWorker.ts');
  return parseInWorker(text, file);
}

/** The errors of a config as one error, with the same message for every verb. */
export function problemOf(path: string, errors: readonly FieldError[]): CodedError {
  const [first] = errors;
  if (first !== undefined && errors.length === 1) return codedError(first.code, `${formatFieldError(first)}.`);
  return codedError('CONFIG_INVALID', `The config ${path} has ${errors.length} errors:\n${formatFieldErrors(errors)}`);
}
