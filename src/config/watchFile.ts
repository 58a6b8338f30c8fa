import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { failed, messageOf, type Result } from '../base/errors.ts';
import { type FieldError, formatFieldErrors } from '../base/fieldError.ts';
import type { Config } from './config.ts';
import { parseConfig } from './parse.ts';
import { readConfigText } from './read.ts';
import { type ContentWatch, watchContent } from './watchContent.ts';

/** What stands in a config file: its text, or why it cannot be had. */
type ConfigText = Result<string, readonly FieldError[]>;

interface FileWatchOptions {
  readonly file: string;
  readonly clock: Clock;
  /** The content that is in force already. */
  readonly known: ConfigText;
  /** Told of each new content, once. */
  readonly onNews: (config: Result<Config, readonly FieldError[]>) => void;
  /** Told when the file system does not tell of changes: then the file is looked at every few seconds. */
  readonly onUnwatchable: (why: string) => void;
}

/** Characters: what is shorter is read in milliseconds, whatever it is. A config of a hundred services has this. */
const short = 16_384;
/** Whoever writes into the file in place, or saves it twice, is done after this time. Milliseconds. */
const settledAfter = 300;
/** A file that is about to be replaced is missing for less than this. Milliseconds. */
const missedAfter = 2_000;
/** Where the file system tells of nothing (network mounts, a link to elsewhere): how long a change may go unseen. */
const pollInterval = 10_000;

/**
 * Watches a config file through whatever is done to it: edited in place, replaced by a rename, deleted, or in a mounted
 * ConfigMap, where the kubelet renames the link `..data` beside it.
 */
export function watchConfigFile(options: FileWatchOptions): ContentWatch {
  const { file, clock, known, onNews, onUnwatchable } = options;
  let newest: ConfigText | undefined;

  async function parse(text: ConfigText): Promise<void> {
    newest = text;
    if (!text.ok) return onNews(failed(text.error));
    if (text.value.length <= short) return onNews(parseConfig(text.value, file));
    const { parseInWorker } = await import('./parseInWorker.ts');
    const parsed = await parseInWorker(text.value, file);
    if (newest === text) onNews(parsed);
  }

  const contents = watchContent<ConfigText>({
    clock,
    read: () => readConfigText(file),
    keyOf: (text) => (text.ok ? `text ${text.value}` : `errors ${formatFieldErrors(text.error)}`),
    settleTime: (text) => (text.ok ? settledAfter : missedAfter),
    pollInterval,
    known,
    onNews: (text) => void parse(text),
  });
  const events = watchDirectory(file, contents.notice, onUnwatchable);
  // It may have changed since it was read.
  contents.notice();
  return {
    ...contents,
    stop() {
      newest = undefined;
      events?.close();
      contents.stop();
    },
  };
}

/** Tells of what happens to the file in its directory, or to the kubelet's link there. */
function watchDirectory(
  file: string,
  onEvent: () => void,
  onUnwatchable: (why: string) => void,
): FSWatcher | undefined {
  const isMeant = (name: string | null) => name === null || name === basename(file) || name.startsWith('..');
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_, name) => {
      if (isMeant(name)) onEvent();
    });
    return watcher.on('error', (error) => {
      watcher.close();
      onUnwatchable(messageOf(error));
    });
  } catch (error) {
    onUnwatchable(messageOf(error));
    return undefined;
  }
}
