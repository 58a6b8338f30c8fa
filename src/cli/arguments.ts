/** Flags that are given without a value when they are on. */
export const booleanFlags: readonly string[] = ['dry-run', 'enable-leader-election', 'zap-devel'];

/** What `main` has to do: a verb, and the rest of the command line as commander takes it. */
interface Arguments {
  readonly verb: string;
  readonly words: readonly string[];
}

/**
 * The command line as commander takes it. Go's flag package, which the original used, also knows `-flag`, and a
 * boolean flag takes a value only behind `=`. The original's own verb, `weeder`, means `run`; so does none at all.
 */
export function readArguments(given: readonly string[]): Arguments {
  const words = given.map(normalizeWord);
  const [first] = words;
  if (first === undefined) return { verb: 'run', words: ['run'] };
  if (first === '--help' || first === '-h' || first === '--version') return { verb: '', words };
  if (first.startsWith('-')) return { verb: 'run', words: ['run', ...words] };
  const verb = first === 'weeder' ? 'run' : first;
  return { verb, words: [verb, ...words.slice(1)] };
}

function normalizeWord(word: string): string {
  const long = /^-[a-z][a-z-]+(=|$)/.test(word) ? `-${word}` : word;
  return booleanFlags.some((flag) => long === `--${flag}`) ? `${long}=true` : long;
}
