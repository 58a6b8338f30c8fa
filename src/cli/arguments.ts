/** Flags that are given without a value when they are on. */
export const booleanFlags: readonly string[] = ['dry-run', 'enable-leader-election', 'zap-devel'];

/**
 * The command line as commander takes it. Go's flag package, which the original used, also knows `-flag`, and a
 * boolean flag takes a value only behind `=`. The original's own verb, `weeder`, means `run`; so does none at all.
 */
export function normalizeArguments(given: readonly string[], verbs: readonly string[]): string[] {
  const words = given.map(normalizeWord);
  const [first] = words;
  if (first === 'weeder') return ['run', ...words.slice(1)];
  const isVerb = first !== undefined && (verbs.includes(first) || first === 'help');
  const isGlobal = first === '--help' || first === '-h' || first === '--version';
  if (isVerb || isGlobal || (first !== undefined && !first.startsWith('-'))) return words;
  return ['run', ...words];
}

function normalizeWord(word: string): string {
  const long = /^-[a-z][a-z-]+(=|$)/.test(word) ? `-${word}` : word;
  return booleanFlags.some((flag) => long === `--${flag}`) ? `${long}=true` : long;
}
