import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { monotonic } from '../support/processFigures.ts';
import { rounded } from '../support/statistics.ts';
import { type BrowserRequest, Look, Scrolled } from './browserRequests.ts';
import type { Cost, Load, Opened } from './livePageResults.ts';

/** A browser with its pages (browserProcess.ts). */
export interface Browser extends AsyncDisposable {
  /** Opens one more page, and waits for its first rows. */
  open(url: string, view: string): Promise<Load>;
  /** Measures the open pages until the returned function is called. */
  measure(): Promise<() => Promise<Opened>>;
  closePages(): Promise<void>;
  /** From now on it runs only while nothing else wants its core, as if it were on another machine. */
  yieldCore(): void;
  scroll(services: number, ms: number): Promise<Scrolled>;
}

const Answer = z.object({ answer: z.unknown() });

/** Starts it. It ends with this process at the latest. */
export async function startBrowser(): Promise<Browser> {
  const child = fork(join(import.meta.dirname, 'browserProcess.ts'));
  const exited = once(child, 'exit');
  const failed = exited.then(() => {
    throw new Error('the browser ended; its output is above');
  });
  failed.catch(() => {});
  const answer = async (): Promise<unknown> => {
    const [message]: unknown[] = await Promise.race([once(child, 'message'), failed]);
    return Answer.parse(message).answer;
  };
  const ask = (request: BrowserRequest): Promise<unknown> => {
    const answered = answer();
    child.send(request);
    return answered;
  };
  const look = async () => Look.parse(await ask({ look: true }));
  await answer();
  return {
    async open(url, view) {
      const before = await look();
      const firstRows = rounded(z.number().parse(await ask({ open: url, view })));
      const { bytes, elements } = await look();
      return { view, firstRows, bytes: bytes - before.bytes, elements };
    },
    async measure() {
      const before = { ...(await look()), at: monotonic(), cpu: cpuOf(child.pid) };
      return async () => {
        const cpu = cpuOf(child.pid) - before.cpu;
        const seconds = (monotonic() - before.at) / 1000;
        const { bytes, elements } = await look();
        const browser: Cost = { cpu: rounded((100 * cpu) / seconds), memory: rounded(memoryOf(child.pid)) };
        return { browser, received: Math.round((bytes - before.bytes) / seconds), elements };
      };
    },
    yieldCore() {
      for (const thread of threadsOf(child.pid)) lowerPriority(thread);
    },
    closePages: async () => void (await ask({ closePages: true })),
    scroll: async (services, ms) => Scrolled.parse(await ask({ scroll: services, ms })),
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await exited;
    },
  };
}

/** The processes that this one has started, and those that they have. */
function descendantsOf(pid: number | undefined): string[] {
  const children = globSync(`/proc/${pid}/task/*/children`).flatMap((file) => read(file).split(' '));
  return children.filter((each) => each !== '').flatMap((each) => [each, ...descendantsOf(Number(each))]);
}

function lowerPriority(thread: number): void {
  try {
    setPriority(thread, constants.priority.PRIORITY_LOW);
  } catch (error) {
    // A thread may have ended meanwhile.
    if (existsSync(`/proc/${thread}`)) throw error;
  }
}

/** A priority is that of a thread, and of those that it starts. */
function threadsOf(pid: number | undefined): number[] {
  return descendantsOf(pid).flatMap((each) => globSync('*', { cwd: `/proc/${each}/task` }).map(Number));
}

/** Seconds that they have spent on a core, including their threads that have ended. */
function cpuOf(pid: number | undefined): number {
  const ticks = descendantsOf(pid).map((each) => {
    // The name of the program, in parentheses, may contain spaces.
    const fields = read(`/proc/${each}/stat`).split(') ').at(-1)?.split(' ') ?? [];
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}

/** Their memory, of which each has its share of what several use. MiB. */
function memoryOf(pid: number | undefined): number {
  const kilobytes = descendantsOf(pid).map((each) =>
    Number(/^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${each}/smaps_rollup`))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

/** Empty if the process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
