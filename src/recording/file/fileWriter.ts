import { type FileHandle, open, rename } from 'node:fs/promises';
import { messageOf } from '../../base/errors.ts';

/** Appends lines to a file behind the caller's back: nothing waits for the disk, and nothing throws. */
export interface FileWriter {
  write(line: string): void;
  /** Begins a new file; the current one becomes FILE.1. */
  rotate(): void;
  /** Flushes the buffer and closes the file. */
  close(): Promise<void>;
}

interface FileWriterOptions {
  readonly path: string;
  /** How many earlier files are kept: FILE.1 is the one before, FILE.2 the one before that. */
  readonly oldFiles: number;
  /** Called once, when writing has failed and stops. */
  readonly onFailure: (message: string) => void;
}

interface Batch {
  readonly isNewFile: boolean;
  text: string;
}

/** A crash loses no more than this. Milliseconds. */
const flushEvery = 200;
const flushAbove = 256 * 1024;
/** A disk this far behind does not catch up; characters. */
const mostPending = 32 * 1024 * 1024;

/** Opens the file; what is there already, a recording of the process before, is kept as FILE.1. Rejects if it cannot. */
export async function openFileWriter(options: FileWriterOptions): Promise<FileWriter> {
  const { path, oldFiles, onFailure } = options;
  let handle = await openNew(path, oldFiles);
  let batches: Batch[] = [];
  let pending = 0;
  /** The length of the whole lines in the file. */
  let position = 0;
  let hasFailed = false;
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  function flushSoon(): void {
    if (pending > flushAbove) void flush();
    else timer ??= setTimeout(flush, flushEvery).unref();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    flushing ??= drain().finally(() => {
      flushing = undefined;
    });
    return flushing;
  }

  async function drain(): Promise<void> {
    try {
      while (batches.length > 0 && !hasFailed) {
        const [batch] = batches.splice(0, 1);
        if (batch !== undefined) await store(batch);
      }
    } catch (error) {
      fail(messageOf(error));
      await handle.truncate(position).catch(() => {});
    }
  }

  async function store({ isNewFile, text }: Batch): Promise<void> {
    if (isNewFile) {
      await handle.close();
      handle = await openNew(path, oldFiles);
      position = 0;
    }
    await handle.writeFile(text);
    pending -= text.length;
    position += Buffer.byteLength(text);
  }

  function fail(message: string): void {
    if (hasFailed) return;
    hasFailed = true;
    batches = [];
    onFailure(message);
  }

  return {
    write(line) {
      if (hasFailed) return;
      const last = batches.at(-1);
      if (last === undefined) batches.push({ isNewFile: false, text: line });
      else last.text += line;
      pending += line.length;
      if (pending > mostPending) fail('the disk is too slow');
      else flushSoon();
    },
    rotate() {
      if (!hasFailed) batches.push({ isNewFile: true, text: '' });
    },
    async close() {
      await flush();
      // What came while the first one was just ending.
      await flush();
      await handle.close().catch(() => {});
    },
  };
}

async function openNew(path: string, oldFiles: number): Promise<FileHandle> {
  const handle = await open(path, 'a', 0o600);
  const stat = await handle.stat();
  if (!stat.isFile() || stat.size === 0) return handle;
  await handle.close();
  for (let age = oldFiles - 1; age >= 1; age -= 1) await renameIfThere(`${path}.${age}`, `${path}.${age + 1}`);
  await rename(path, `${path}.1`);
  return open(path, 'ax', 0o600);
}

async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) throw error;
  }
}
