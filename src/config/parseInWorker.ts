import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { messageOf, objectOf, type Result, textOf } from '@weeder/kube-runtime/base';
import type { FieldError } from '../base/fieldError.ts';
import type { Config } from './config.ts';
import { fileError, parseConfig } from './parse.ts';

type Parsed = Result<Config, readonly FieldError[]>;

/**
 * Like `parseConfig` with lines, but in a worker thread: a MiB of malicious YAML takes seconds to parse, and a leader must renew
 * the Lease in the meantime. If the thread crashes, the file is in error.
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

/** This module is also the entry point of the thread. */
const { config, file } = objectOf(isMainThread ? undefined : workerData);
const [text, name] = [textOf(config), textOf(file)];
if (text !== undefined && name !== undefined) parentPort?.postMessage(parseConfig(text, name, { hasLines: true }));
