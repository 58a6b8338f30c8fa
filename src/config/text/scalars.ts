import { type ExactInteger, integerOf } from '@weeder/kube-runtime/base';

/**
 * The value of a plain (unquoted) scalar. Kubernetes' tools read YAML 1.1, where `yes` is true and `1_000` a number; in
 * YAML 1.2 both are text. Where the two versions disagree, either reading would mislead, so such a scalar is rejected.
 */
type PlainScalar = string | number | ExactInteger | boolean | null;

const nulls = /^(?:~|null|Null|NULL)?$/;
const trues = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const falses = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const decimals = /^[-+]?(?:0|[1-9][0-9]*)$/;
const numbers =
  /^[-+]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF))$|^\.(?:nan|NaN|NAN)$/;

/** The value of a plain scalar; NaN for a number in an unusual notation (`0777`, `1_000`, `1e3`). */
export function plainScalar(source: string): PlainScalar {
  if (nulls.test(source)) return null;
  if (trues.test(source)) return true;
  if (falses.test(source)) return false;
  if (decimals.test(source)) return integerOf(source.replace('+', ''));
  if (/^[-+]?[0-9]+\.[0-9]+$/.test(source)) return Number(source);
  // Go reads a number beyond a float64 as text, and therefore also a commit hash such as 1234e567.
  return numbers.test(source) && Number(source.replaceAll('_', '')) !== Infinity ? Number.NaN : source;
}

/** How a plain scalar would be read, if not as the text that it appears to be. */
export function misreading(source: string): string | undefined {
  const value = plainScalar(source);
  if (value === null) return 'nothing';
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? undefined : 'a number';
}
