import { type FileHandle, open, rename } from 'node:fs/promises';
import { failed, messageOf, ok, type Result } from '@weeder/kube-runtime/base';
import { codedError } from '../../base/errors.ts';

/** Appends lines to a file in the background: no call waits for the disk, and none throws. */
export interface FileWriter {
  write(line: string): void;
  /** Begins a new file; the current one becomes FILE.1. */
  rotate(): void;
  /** Flushes the buffer and closes the file. */
  close(): Promise<void>;
}

interface FileWriterOptions {
  readonly path: string;
  /** How many earlier files are retained: FILE.1 is the newest of them. */
  readonly oldFiles: number;
  /** Called once, when writing has failed and stops. */
  readonly onFailure: (message: string) => void;
}

interface Batch {
  readonly isNewFile: boolean;
  text: string;
}

/** A crash loses at most the lines of this time. Milliseconds. */
const flushEvery = 200;
const flushAbove = 256 * 1024;
/** Characters. With more pending text the disk is too slow, and the recording stops. */
const maxPending = 32 * 1024 * 1024;

/** Opens the file. An existing one, a recording of the previous process, becomes FILE.1. Never throws. */
export async function openFileWriter(options: FileWriterOptions): Promise<Result<FileWriter>> {
  const { path, oldFiles } = options;
  try {
    return ok(createFileWriter(options, await openNew(path, oldFiles)));
  } catch (error) {
    return failed(codedError('RECORDING_UNWRITABLE', `Cannot record to ${path}: ${whyUnwritable(error)}.`));
  }
}

function createFileWriter({ path, oldFiles, onFailure }: FileWriterOptions, opened: FileHandle): FileWriter {
  let handle = opened;
  let batches: Batch[] = [];
  let pending = 0;
  /** The length of the complete lines in the file. */
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
      if (pending > maxPending) fail('the disk is too slow');
      else flushSoon();
    },
    rotate() {
      if (!hasFailed) batches.push({ isNewFile: true, text: '' });
    },
    async close() {
      await flush();
      // Flushes the lines that were added while the first flush ended.
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

function whyUnwritable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such directory';
  if (code === 'EISDIR') return 'it is a directory';
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'this user may not write there';
  return messageOf(error);
}
