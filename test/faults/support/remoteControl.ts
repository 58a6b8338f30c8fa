import { readFileSync, writeFileSync } from 'node:fs';
import { eventually, temporaryFile, type WeederProcess } from '../../cluster/support/cluster.ts';

/** Controls a weeder process through preload.ts. */
export type RemoteControl = ReturnType<typeof remoteControl>;

/**
 * Few arenas, as in the image, and a fixed threshold for mmap. Otherwise glibc raises the threshold when a large buffer
 * is freed, and retains up to 64 MiB of freed memory, which the resident memory includes.
 */
const mallocSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(128 << 10),
  MALLOC_TRIM_THRESHOLD_: String(128 << 10),
};

export function remoteControl() {
  const file = temporaryFile('remote-control.json');
  const preload = new URL('./preload.ts', import.meta.url);
  preload.searchParams.set('file', file);
  let sequence = 0;
  let shiftedBy = 0;

  async function sendSignal({ signal }: WeederProcess): Promise<void> {
    sequence += 1;
    writeFileSync(file, JSON.stringify({ sequence, shiftedBy }));
    signal('SIGUSR2');
    await eventually(() => readFileSync(`${file}.done`, 'utf8') === String(sequence), {
      what: 'that weeder has handled SIGUSR2',
    });
  }

  return {
    /** Options for `startWeeder`. */
    nodeFlags: ['--expose-gc', `--import=${preload.href}`],
    env: mallocSettings,
    /** Collects garbage. */
    collect: sendSignal,
    /** Sets the offset of weeder's wall clock. Milliseconds. */
    shift: (weeder: WeederProcess, by: number) => {
      shiftedBy = by;
      return sendSignal(weeder);
    },
  };
}
