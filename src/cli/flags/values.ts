import { hostname } from 'node:os';
import { parseDuration } from '@weeder/kube-runtime/base';
import { type LabelSelector, parseSelector } from '@weeder/kube-runtime/objects';
import { Argument, InvalidArgumentError } from 'commander';
import { type BindAddress, parseBindAddress } from '../../base/listen.ts';
import { type LogLevel, logLevels } from '../../base/log.ts';
import { parseShard, type Shard } from '../../controller/shard.ts';

/**
 * Parsers of flag values: each returns the value, or throws commander's error with what was found and what is expected.
 */

/** Milliseconds. */
export function readDuration(text: string): number {
  const duration = parseDuration(text);
  if (!duration.ok) throw new InvalidArgumentError(duration.error);
  if (duration.value < 0) throw new InvalidArgumentError(`found "${text}", expected a duration that is not negative`);
  return duration.value;
}

export function readNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError(`found "${text}", expected a number from 0 on`);
  }
  return value;
}

export function readCount(text: string): number {
  return readWhole(text, 10_000);
}

export function readFiles(text: string): number {
  return readWhole(text, 100);
}

function readWhole(text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > max) {
    throw new InvalidArgumentError(`found "${text}", expected a whole number from 1 to ${max}`);
  }
  return value;
}

const sizeUnits: Readonly<Record<string, number>> = {
  '': 1,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  k: 1e3,
  M: 1e6,
  G: 1e9,
};
const smallestSize = 64 * 2 ** 10;
const largestSize = 1024 * 2 ** 30;

/** Bytes, in the notation of Kubernetes, such as 64Mi. */
export function readSize(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+)(Ki|Mi|Gi|k|M|G)?$/.exec(text) ?? [];
  const size = digits === '' ? Number.NaN : Number(digits) * (sizeUnits[unit] ?? Number.NaN);
  if (size >= smallestSize && size <= largestSize) return size;
  throw new InvalidArgumentError(`found "${text}", expected a size from 64Ki to 1024Gi, such as 64Mi`);
}

/** Accepts the same values as Go's strconv.ParseBool. */
export function readBoolean(text: string): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
  throw new InvalidArgumentError(`found "${text}", expected true or false`);
}

/** Names separated by commas, as in `--namespaces a,b`; the flag may be repeated. */
export function readNames(text: string, previous: readonly string[] | undefined): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set([...(previous ?? []), ...names.map(readNamespace)])];
}

/** A flag that may be repeated. */
export function collect(text: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), text];
}

export function readNamespace(name: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) return name;
  throw new InvalidArgumentError(`found "${name}", which is not the name of a namespace`);
}

/** Conditions on labels, as for `kubectl get --selector`. */
export function readSelector(text: string): LabelSelector {
  const selector = parseSelector(text);
  if (!selector.ok) throw new InvalidArgumentError(selector.error);
  return selector.value;
}

/** `i/n`, or `auto/n` for the ordinal of a StatefulSet's pod. */
export function readShard(text: string): Shard {
  const shard = parseShard(text, hostname());
  if (!shard.ok) throw new InvalidArgumentError(shard.error);
  return shard.value;
}

/** Never returns undefined, which commander would turn into an empty text. */
export function readAddress(text: string): BindAddress | 'none' {
  const address = parseBindAddress(text);
  if (!address.ok) throw new InvalidArgumentError(address.error);
  return address.value;
}

/** The address of an inspector's server. */
export function readInspector(text: string): string {
  if (/^wss?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  // It is not quoted, because it may have a password.
  throw new InvalidArgumentError('expected an address such as ws://localhost:8080');
}

/** Case-insensitive; zap's numbers (higher means more verbose) and its levels above error are accepted. */
export function readLogLevel(text: string): LogLevel {
  const name = text.toLowerCase();
  const level = logLevels.find((each) => each === name);
  if (level !== undefined) return level;
  if (['dpanic', 'panic', 'fatal'].includes(name)) return 'error';
  if (/^\d+$/.test(name)) return Number(name) > 0 ? 'debug' : 'info';
  throw new InvalidArgumentError(`found "${text}", allowed are ${logLevels.join(', ')}`);
}

/** An argument that is one of these words: shells complete it, and the verb itself refuses another word. */
export function wordOf(words: readonly string[], name: string, description: string): Argument {
  return new Argument(name, description).choices(words).argParser((text: string) => text);
}

/** Converts a flag into commander's name for it: `dry-run` is `dryRun`. */
export function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
