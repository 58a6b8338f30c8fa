import { type FileHandle, open } from 'node:fs/promises';
import { failed, messageOf, ok, type Result } from '@weeder/kube-runtime/base';
import type { FieldError } from '../base/fieldError.ts';
import type { Config } from './config.ts';
import { binary, fileError, largestFile, parseConfig, tooLarge } from './parse.ts';

/** Reads a config file. The promise never rejects. */
export async function readConfigFile(path: string): Promise<Result<Config, readonly FieldError[]>> {
  const text = await readConfigText(path);
  return text.ok ? parseConfig(text.value, path) : text;
}

/**
 * Reads at most `max` bytes of the text of a file. The promise never rejects. Default: the maximum size of a config.
 */
export async function readConfigText(path: string, max = largestFile): Promise<Result<string, readonly FieldError[]>> {
  try {
    const file = await open(path, 'r');
    try {
      return await readOpened(file, path, max);
    } finally {
      await file.close();
    }
  } catch (error) {
    return failed([fileError(path, whyUnreadable(error), 'CONFIG_UNREADABLE')]);
  }
}

/** The name of the standard input in errors. */
export const standardInput = '/dev/stdin';

/**
 * The same for the standard input, which it reads as descriptor 0: opening `/dev/stdin` fails for a socket, and for a
 * pipe of another user.
 */
export async function readStandardInput(max: number): Promise<Result<string, readonly FieldError[]>> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of process.stdin) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > max) break;
    }
  } catch (error) {
    return failed([fileError(standardInput, whyUnreadable(error), 'CONFIG_UNREADABLE')]);
  }
  return textIn(Buffer.concat(chunks), standardInput, max);
}

async function readOpened(file: FileHandle, path: string, max: number): Promise<Result<string, readonly FieldError[]>> {
  const { size } = await file.stat();
  if (size > max) return failed([fileError(path, tooLarge(max))]);
  // A pipe or a device reports no size: reading stops one byte beyond the limit.
  const buffer = Buffer.alloc(max + 1);
  let length = 0;
  for (let count = -1; count !== 0 && length < buffer.length; length += count) {
    count = (await file.read(buffer, length, buffer.length - length, null)).bytesRead;
  }
  return textIn(buffer.subarray(0, length), path, max);
}

/** The text of these bytes, which are all of a file unless they are more than `max`. */
function textIn(bytes: Buffer, path: string, max: number): Result<string, readonly FieldError[]> {
  if (bytes.length > max && !bytes.includes(0)) return failed([fileError(path, tooLarge(max))]);
  const text = decode(bytes);
  return typeof text === 'string' ? ok(text) : failed([fileError(path, text.problem)]);
}

function decode(bytes: Buffer): string | { readonly problem: string } {
  const start = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  if (start === 0xfffe || start === 0xfeff) return { problem: 'is UTF-16 text; save it as UTF-8' };
  if (bytes.includes(0)) return { problem: binary };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { problem: 'is not UTF-8 text; a config is YAML in UTF-8' };
  }
}

function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'is a directory; give the path of the config file in it';
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read by this user';
  if (code === 'ENOTDIR') return 'cannot be read: a part of its path is not a directory';
  return `cannot be read: ${messageOf(error)}`;
}
