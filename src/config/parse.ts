import { failed, ok, type Result } from '@weeder/kube-runtime/base';
import type { Document } from 'yaml';
import { type FieldError, oneLine } from '../base/fieldError.ts';
import { type Config, resolveConfig, type ServiceConfig } from './config.ts';
import { formatBefore } from './formatBefore.ts';
import { configFile, keysAt } from './schema/schema.ts';
import { locate } from './text/document.ts';
import { type Located, type LocatedError, located, offsetOf } from './text/located.ts';
import { fieldErrorsOf, noMessage } from './text/messages.ts';
import { inLines, readYaml, type YamlText } from './text/yamlText.ts';

/** Bytes. A config of a thousand services has a fifth of it; a ConfigMap cannot be larger. */
export const largestFile = 1024 * 1024;

/**
 * Characters: a shorter file is parsed within milliseconds, whatever it contains. A config of a hundred services has
 * this length.
 */
export const shortConfig = 16_384;

/**
 * Parses a config, and returns all errors if there are any. `file` is the file name in the errors. `hasLines`: the config
 * has the lines of its podSelectors.
 */
export function parseConfig(
  text: string,
  file: string,
  { hasLines = false } = {},
): Result<Config, readonly FieldError[]> {
  const whole = unusable(text);
  if (whole !== undefined) return failed([fileError(file, whole)]);
  const yaml = readYaml(text);
  if (!yaml.ok) return failed(inLines(yaml.error.errors, file, yaml.error.lines));
  const read = readDocuments(yaml.value, hasLines);
  return read.ok ? read : failed(inLines(read.error, file, yaml.value.lines));
}

/** An error of a file as a whole. */
export function fileError(file: string, message: string, code: FieldError['code'] = 'CONFIG_INVALID'): FieldError {
  return { code, file, line: undefined, column: undefined, path: '', message };
}

function unusable(text: string): string | undefined {
  if (Buffer.byteLength(text) > largestFile) return tooLarge(largestFile);
  return text.includes('\0') ? binary : undefined;
}

export function tooLarge(max: number): string {
  return `is larger than ${max / 1024} KiB, which no ${max === largestFile ? 'config' : 'manifest'} needs`;
}

export const binary = 'is not text: it contains NUL bytes; a config is YAML in UTF-8';

function readDocuments({ documents, lines }: YamlText, hasLines: boolean): Result<Config, readonly LocatedError[]> {
  const [document, ...others] = documents;
  if (document === undefined) return failed([{ offset: 0, path: [], message: emptyFile }]);
  const lineOf = (offset: number) => lines.linePos(offset).line;
  const { root, errors, broken } = locate(document, lineOf);
  if (broken.length > 0) return failed([...broken, ...errors]);
  const shape = wrongShape(root) ?? (others.length > 0 ? severalDocuments(others) : undefined);
  if (shape !== undefined) return failed([{ offset: root.offset, path: [], ...shape }]);
  const parsed = configFile.safeParse(root.value, { error: () => noMessage });
  if (parsed.success && errors.length === 0) {
    const config = resolveConfig(parsed.data);
    return ok(hasLines ? withLines(config, root, lineOf) : config);
  }
  const issues = parsed.success ? [] : parsed.error.issues;
  return failed([...errors, ...issues.flatMap((issue) => fieldErrorsOf(issue, root, keysAt))]);
}

function withLines(config: Config, root: Located, lineOf: (offset: number) => number): Config {
  const withOwn = (service: ServiceConfig): ServiceConfig => {
    const path = ['servicesAndDependantSelectors', service.name, 'podSelectors'];
    const selectorLines = service.podSelectors.map((_, place) => lineOf(offsetOf(root, [...path, place])));
    return { ...service, selectorLines };
  };
  return { ...config, services: new Map([...config.services].map(([name, service]) => [name, withOwn(service)])) };
}

const emptyFile = 'the file is empty or has only comments; write {} for a config that does nothing';

function wrongShape(root: Located): Pick<LocatedError, 'message'> | undefined {
  if (root.value === null || typeof root.value !== 'object' || Array.isArray(root.value)) {
    return {
      message:
        'the top level must be a mapping with the key servicesAndDependantSelectors, declaredDependencies, podCreation, restartControl or observer',
    };
  }
  const before = formatBefore(root);
  if (before !== undefined) return { message: before };
  const kind = located(root, ['kind'])?.value;
  if (typeof kind !== 'string' || !root.children.has('apiVersion')) return undefined;
  if (kind !== 'ConfigMap')
    return { message: `this is a Kubernetes manifest (kind: ${oneLine(kind)}), not weeder's config` };
  const names = [...(located(root, ['data'])?.children.keys() ?? [])].map((key) => oneLine(String(key)));
  const inside =
    names.length === 0 ? 'the value under data' : `the value under data, at ${names.slice(0, 5).join(' or ')}`;
  return {
    message: `this is a whole ConfigMap manifest; the config is only ${inside}: mount the ConfigMap, and give the path of the mounted file`,
  };
}

function severalDocuments(others: readonly Document.Parsed[]): Pick<LocatedError, 'message' | 'offset'> {
  const offset = others[0]?.contents?.range[0] ?? 0;
  return {
    offset,
    message: `a config is one YAML document; another one begins here, the first of ${others.length} more`,
  };
}
