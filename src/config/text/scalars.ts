import { type ExactInteger, integerOf } from '../../base/exactInteger.ts';

/**
 * What a plain (unquoted) scalar means. Kubernetes' own tools read YAML 1.1, where `yes` is true and `1_000` a number;
 * YAML 1.2 calls both text. Where the two disagree a reader is misled either way, so such a text is not taken for one.
 */
type PlainScalar = string | number | ExactInteger | boolean | null;

const nulls = /^(?:~|null|Null|NULL)?$/;
const trues = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const falses = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const decimals = /^[-+]?(?:0|[1-9][0-9]*)$/;
const numbers =
  /^[-+]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF))$|^\.(?:nan|NaN|NAN)$/;

/** The value of a plain scalar; NaN for a number that is not written the one obvious way (`0777`, `1_000`, `1e3`). */
export function plainScalar(source: string): PlainScalar {
  if (nulls.test(source)) return null;
  if (trues.test(source)) return true;
  if (falses.test(source)) return false;
  if (decimals.test(source)) return integerOf(source.replace('+', ''));
  if (/^[-+]?[0-9]+\.[0-9]+$/.test(source)) return Number(source);
  // Go's reader takes a number beyond a float64 for text, and so a commit hash such as 1234e567.
  return numbers.test(source) && Number(source.replaceAll('_', '')) !== Infinity ? Number.NaN : source;
}

/** What a plain scalar would be read as, when that is not the text it looks like. */
export function misreading(source: string): string | undefined {
  const value = plainScalar(source);
  if (value === null) return 'nothing';
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? undefined : 'a number';
}
