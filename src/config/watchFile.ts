import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock } from '@weeder/kube-runtime/base';
import { failed, messageOf, type Result } from '@weeder/kube-runtime/base';
import { type FieldError, formatFieldErrors } from '../base/fieldError.ts';
import type { Config } from './config.ts';
import { parseConfig, shortConfig } from './parse.ts';
import { readConfigText } from './read.ts';
import { type ContentWatch, watchContent } from './watchContent.ts';

/** The text of a config file, or why it cannot be read. */
type ConfigText = Result<string, readonly FieldError[]>;

interface FileWatchOptions {
  readonly file: string;
  readonly clock: Clock;
  /** The content that is already in force. */
  readonly known: ConfigText;
  /** Called once for each new content. */
  readonly onChange: (config: Result<Config, readonly FieldError[]>) => void;
  /** Called if the file system does not report changes: the file is then polled every few seconds. */
  readonly onUnwatchable: (why: string) => void;
}

/** An editor that writes the file in place, or saves it twice, has finished after this time. Milliseconds. */
const settledAfter = 300;
/** A file that is being replaced is missing for less than this. Milliseconds. */
const missedAfter = 2_000;
/**
 * The maximum delay until a change is noticed if the file system reports none (network mounts, a symlink to another
 * directory).
 */
const pollInterval = 10_000;

/**
 * Watches a config file however it is changed: edited in place, replaced by a rename, deleted, or in a mounted
 * ConfigMap, where the kubelet renames the symlink `..data` next to it.
 */
export function watchConfigFile(options: FileWatchOptions): ContentWatch {
  const { file, clock, known, onChange, onUnwatchable } = options;
  let newest: ConfigText | undefined;

  async function parse(text: ConfigText): Promise<void> {
    newest = text;
    if (!text.ok) return onChange(failed(text.error));
    if (text.value.length <= shortConfig) return onChange(parseConfig(text.value, file, { hasLines: true }));
    const { parseInWorker } = await import('./parseInWorker.ts');
    const parsed = await parseInWorker(text.value, file);
    if (newest === text) onChange(parsed);
  }

  const contents = watchContent<ConfigText>({
    clock,
    read: () => readConfigText(file),
    keyOf: (text) => (text.ok ? `text ${text.value}` : `errors ${formatFieldErrors(text.error)}`),
    settleTime: (text) => (text.ok ? settledAfter : missedAfter),
    pollInterval,
    known,
    onChange: (text) => void parse(text),
  });
  const events = watchDirectory(file, contents.notice, onUnwatchable);
  // The file may have changed since it was read.
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

/** Reports changes of the file in its directory, or of the kubelet's symlink there. */
function watchDirectory(
  file: string,
  onEvent: () => void,
  onUnwatchable: (why: string) => void,
): FSWatcher | undefined {
  const concerns = (name: string | null) => name === null || name === basename(file) || name.startsWith('..');
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_, name) => {
      if (concerns(name)) onEvent();
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
