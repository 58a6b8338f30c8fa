import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { messageOf, type Result } from '../base/errors.ts';
import type { FieldError } from '../base/fieldError.ts';
import { objectOf, textOf } from '../base/json.ts';
import type { Config } from './config.ts';
import { fileError, parseConfig } from './parse.ts';

type Parsed = Result<Config, readonly FieldError[]>;

/**
 * As `parseConfig`, in a thread of its own: YAML of a MiB that was made for it takes seconds, and whoever leads must renew
 * the Lease meanwhile. What the thread does not live through is an error of the file.
 */
export function parseInWorker(text: string, file: string): Promise<Parsed> {
  const { promise, resolve } = Promise.withResolvers<Parsed>();
  const fail = (why: string) => resolve({ ok: false, error: [fileError(file, `cannot be read: ${why}`)] });
  const worker = new Worker(new URL(import.meta.url), { workerData: { config: text, file } });
  worker.once('message', (parsed: Parsed) => resolve(parsed));
  worker.once('error', (error) => fail(messageOf(error)));
  worker.once('exit', (code) => fail(`its thread ended with ${code}`));
  return promise;
}

/** This module is what the thread runs, too. */
const { config, file } = objectOf(isMainThread ? undefined : workerData);
const [text, name] = [textOf(config), textOf(file)];
if (text !== undefined && name !== undefined) parentPort?.postMessage(parseConfig(text, name));
