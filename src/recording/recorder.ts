/**
 * Records all inputs and decisions that controllers pass to it, in order; each file can be replayed alone. Once it is
 * open no call throws or waits for the disk. Does not guarantee that the recording is complete: a crash loses what is
 * not written yet, a disk that is full or too slow ends the recording (`onFailure`), and only the newest `oldFiles`
 * earlier files are retained.
 */

import { randomBytes } from 'node:crypto';
import type { Clock } from '@weeder/kube-runtime/base';
import { ok, type Result } from '@weeder/kube-runtime/base';
import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../config/config.ts';
import { type StoredConfig, storedConfigOf } from '../config/configText.ts';
import { type ControllerName, contributions, controllerNames, makeEach } from '../controllers/controllers.ts';
import type { ControllerRecording, FileHandover } from './file/controllerRecording.ts';
import { type Entry, type Moment, roundedTime } from './file/entry.ts';
import { type FileWriter, openFileWriter } from './file/fileWriter.ts';
import { createLateTimers } from './file/lateTimers.ts';
import { type RecordingHeader, recordingVersion } from './file/lines.ts';

export interface RecorderOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly config: Config;
  readonly namespaces: 'all' | readonly string[];
  readonly concurrentDeletions: number;
  readonly isDryRun: boolean;
  /** The size of a file, in bytes, at which it becomes FILE.1 and a new one begins. */
  readonly limit?: number;
  /** How many earlier files are retained: FILE.1, FILE.2 and so on. */
  readonly oldFiles?: number;
  /** Called once, when the recording has to stop. */
  readonly onFailure: (message: string) => void;
}

/** A flight recording: all inputs and decisions of the controllers. */
export interface Recorder {
  /** Records the inputs and outputs of a controller. */
  of(name: ControllerName): ControllerRecording;
  /** Flushes the buffer. */
  close(): Promise<void>;
}

const defaultLimit = 64 * 1024 * 1024;
/**
 * How much larger a file may become, in bytes, while a new one would lack a pending request, or the state of a handover
 * between two streams.
 */
const maxOvershoot = 16 * 1024 * 1024;
/** A wall clock that drifts by less was not set. Milliseconds. */
const wallClockDrift = 20;

/** Opens the file and writes the header. */
export async function openRecorder(options: RecorderOptions): Promise<Result<Recorder>> {
  const { file: path, oldFiles = 1, onFailure } = options;
  const writer = await openFileWriter({ path, oldFiles, onFailure });
  return writer.ok ? ok(startRecording(options, writer.value)) : writer;
}

function startRecording(options: RecorderOptions, writer: FileWriter): Recorder {
  const { clock, namespaces, concurrentDeletions, isDryRun, limit = defaultLimit } = options;
  const began = clock.monotonic();
  const startedAt = clock.now();
  const snapshots = makeEach<'snapshot'>((of) => contributions[of].recorded.createSnapshot());
  const busyNow = new Map<ControllerName, () => readonly string[]>();
  const handovers = new Map<ControllerName, FileHandover>();
  // It is in no file, so that no reader can guess the value behind a mark.
  const key = randomBytes(32);
  let part = 0;
  let size = 0;
  let sizeLimit = limit;
  let wall = 0;
  let wallWritten = 0;
  let sameTurn: Moment | undefined;
  let config: StoredConfig = storedConfigOf(options.config);

  function write(line: object): void {
    const text = `${JSON.stringify(line)}\n`;
    size += Buffer.byteLength(text);
    writer.write(text);
  }

  /** What is recorded without a pause has one time, by which a replay sees that nothing else ran in between. */
  function now(): Moment {
    if (sameTurn !== undefined) return sameTurn;
    queueMicrotask(() => {
      sameTurn = undefined;
    });
    const t = roundedTime(clock.monotonic() - began);
    const jumped = Math.round(clock.now() - startedAt - t);
    if (Math.abs(jumped - wall) > wallClockDrift) wall = jumped;
    sameTurn = { t, wall };
    return sameTurn;
  }

  function put(of: ControllerName, entry: Entry, { t, wall: itsWall }: Moment): void {
    write({ t, ...(itsWall === wallWritten ? {} : { wall: itsWall }), of, ...entry });
    wallWritten = itsWall;
  }

  function beginPart(): void {
    part += 1;
    size = 0;
    wallWritten = 0;
    const header: RecordingHeader = {
      weeder: 'recording',
      version: recordingVersion,
      weederVersion: packageJson.version,
      startedAt: new Date(startedAt).toISOString(),
      part,
      namespaces,
      concurrentDeletions,
      isDryRun,
      ...config,
      ...Object.assign({}, ...(part === 1 ? [] : [...handovers.values()].map((each) => each.header()))),
    };
    write(header);
    if (part === 1) return;
    for (const of of controllerNames)
      for (const { t, wall: itsWall, ...entry } of snapshots[of].lines(now(), busyNow.get(of)?.() ?? []))
        put(of, entry, { t, wall: itsWall });
    // If the repeated state alone fills a file, the next line must not begin another one.
    sizeLimit = Math.max(limit, 2 * size);
  }

  /** Only a change from a stream begins a new file, so that the effects of an input are in the file of that input. */
  function beginPartIfFull(entry: Entry): void {
    const isBusy = () => [...handovers.values()].some((each) => each.isUnfinished());
    const isFull = size > sizeLimit && (!isBusy() || size > sizeLimit + maxOvershoot);
    if (!isFull || !('stream' in entry) || entry.in === 'closed') return;
    writer.rotate();
    beginPart();
  }

  function recordingOf(of: ControllerName): ControllerRecording {
    const timers = createLateTimers(append);

    function append(entry: Entry): void {
      beginPartIfFull(entry);
      const at = now();
      snapshots[of].apply(entry, at);
      timers.apply(entry, at);
      put(of, entry, at);
      if ('config' in entry) config = { config: entry.config };
    }

    return {
      append,
      clockFor: timers.recorded,
      key,
      onNewFile: (ask) => void busyNow.set(of, ask),
      beforeNewFile: (handover) => void handovers.set(of, handover),
    };
  }

  beginPart();
  const recordings = makeEach<'recording'>(recordingOf);
  return {
    of: (name) => recordings[name],
    close: () => writer.close(),
  };
}
