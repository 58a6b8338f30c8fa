import { readFileSync, writeFileSync } from 'node:fs';
import { eventually, temporaryFile, type WeederProcess } from '../../cluster/support/cluster.ts';

/** Remote control of weeder's process, through preload.ts. */
export interface Hand {
  /** What `startWeeder` starts it with. */
  readonly nodeFlags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Collects garbage. */
  collect(weeder: WeederProcess): Promise<void>;
  /** From now on weeder's wall clock is so much ahead of ours. Milliseconds. */
  shift(weeder: WeederProcess, by: number): Promise<void>;
}

/**
 * As in the image, few pools; and freed memory is returned. Otherwise glibc's malloc learns from the first large buffer
 * that is freed to retain as much, up to 64 MiB, and then memory in use does not show what weeder holds.
 */
const givingBack = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(128 << 10),
  MALLOC_TRIM_THRESHOLD_: String(128 << 10),
};

export function handInWeeder(): Hand {
  const file = temporaryFile('hand.json');
  const preload = new URL('./preload.ts', import.meta.url);
  preload.searchParams.set('file', file);
  let turn = 0;
  let shiftedBy = 0;

  async function signalHand({ signal }: WeederProcess): Promise<void> {
    turn += 1;
    writeFileSync(file, JSON.stringify({ turn, shiftedBy }));
    signal('SIGUSR2');
    await eventually(() => readFileSync(`${file}.done`, 'utf8') === String(turn), { what: 'weeder has heard SIGUSR2' });
  }

  return {
    nodeFlags: ['--expose-gc', `--import=${preload.href}`],
    env: givingBack,
    collect: signalHand,
    shift: (weeder, by) => {
      shiftedBy = by;
      return signalHand(weeder);
    },
  };
}
