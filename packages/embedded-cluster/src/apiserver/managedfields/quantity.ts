const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** From the smallest; each is a thousand times the one before. */
const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const one = decimal.indexOf('');

/**
 * Returns a resource.Quantity in canonical form: `1000m` is `1`, `0.5` is `500m`, `1024Mi` is `1Gi`. Other values are
 * returned unchanged.
 */
export function quantity(value: unknown): unknown {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([KMGTPE]i|[numkMGTPE]?|[eE][+-]?\d+)$/.exec(String(value));
  if (match === null || typeof value === 'object') return value;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  if (whole + fraction === '') return value;
  const digits = BigInt(whole + fraction);
  const nonNegative =
    binary.includes(suffix) && suffix !== ''
      ? binaryForm(digits, fraction.length, binary.indexOf(suffix))
      : decimalForm(digits, fraction.length, suffix);
  return digits > 0n && sign === '-' ? `-${nonNegative}` : nonNegative;
}

/** Binary suffixes have no fractions: what is smaller than one is written in thousandths, with a decimal suffix. */
function binaryForm(digits: bigint, decimals: number, power: number): string {
  const scaled = digits * 1024n ** BigInt(power);
  const unit = 10n ** BigInt(decimals);
  if (scaled % unit !== 0n) return decimalForm(scaled, decimals, '');
  if (scaled === 0n) return '0';
  let [left, at] = [scaled / unit, 0];
  while (left % 1024n === 0n && at < binary.length - 1) [left, at] = [left / 1024n, at + 1];
  return `${left}${binary[at]}`;
}

function decimalForm(digits: bigint, decimals: number, suffix: string): string {
  const isExponent = /^[eE]/.test(suffix) && suffix.length > 1;
  const exponent = isExponent ? Number(suffix.slice(1)) : 3 * (decimal.indexOf(suffix) - one);
  // Calculated in billionths, the finest unit; finer values are rounded up.
  const shift = exponent - decimals + 9;
  let left = shift >= 0 ? digits * 10n ** BigInt(shift) : ceiling(digits, 10n ** BigInt(-shift));
  if (left === 0n) return '0';
  let at = 0;
  while (left % 1000n === 0n && at < decimal.length - 1) [left, at] = [left / 1000n, at + 1];
  return isExponent && at !== one ? `${left}e${3 * (at - one)}` : `${left}${decimal[at]}`;
}

function ceiling(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
