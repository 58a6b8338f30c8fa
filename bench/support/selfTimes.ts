import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The time that a process spent in a function, or in V8's `(garbage collector)` or `(program)`. */
export interface SelfTime {
  readonly name: string;
  /** The file of the sources or of a package. Empty for V8 itself. */
  readonly module: string;
  readonly ms: number;
}

const Frame = z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() });
type Frame = z.infer<typeof Frame>;
const Profile = z.object({
  nodes: z.array(z.object({ id: z.number(), callFrame: Frame })),
  /** Microseconds of the machine's monotonic clock. */
  startTime: z.number(),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

/**
 * The functions with the most self time between two times (milliseconds of the monotonic clock), by a profile that
 * `node --cpu-prof` wrote.
 */
export function selfTimes(file: string, from: number, to: number): SelfTime[] {
  const { nodes, startTime, samples, timeDeltas } = Profile.parse(JSON.parse(readFileSync(file, 'utf8')));
  const moduleOf = moduleFinder();
  const frames = new Map(
    nodes.map(({ id, callFrame }) => [
      id,
      { name: callFrame.functionName || '(anonymous)', module: moduleOf(callFrame) },
    ]),
  );
  const sums = new Map<string, SelfTime>();
  let now = startTime / 1000;
  for (const [index, delta] of timeDeltas.entries()) {
    now += delta / 1000;
    const place = frames.get(samples[index] ?? -1);
    if (place === undefined || place.name === '(idle)' || now < from || now > to) continue;
    const key = `${place.name} ${place.module}`;
    sums.set(key, { ...place, ms: (sums.get(key)?.ms ?? 0) + delta / 1000 });
  }
  return [...sums.values()].sort((a, b) => b.ms - a.ms);
}

/** In a bundle each module begins with a comment that names it. */
function moduleFinder(): (frame: Frame) => string {
  const bundles = new Map<string, string[]>();
  function modulesOf(url: string): string[] {
    let current = '';
    return readFileSync(fileURLToPath(url), 'utf8')
      .split('\n')
      .map((line) => {
        current = /^\/\/ (\S+\.[cm]?[jt]s)$/.exec(line)?.[1]?.replace(/^.*node_modules\//, '') ?? current;
        return current;
      });
  }
  return ({ url, lineNumber }) => {
    if (!url.startsWith('file:')) return url;
    const modules = bundles.get(url) ?? modulesOf(url);
    bundles.set(url, modules);
    return modules[lineNumber] ?? url;
  };
}

/** The profile that this process wrote into a folder. */
export function profileOf(folder: string, pid: number): string {
  const [file, ...more] = globSync(`CPU.*.${pid}.*.cpuprofile`, { cwd: folder });
  if (file === undefined || more.length > 0) throw new Error(`there is not one profile of process ${pid} in ${folder}`);
  return join(folder, file);
}

/** The sums for each package and folder, and the top `count` functions, as lines. */
export function topOf(times: readonly SelfTime[], count: number): string {
  const line = (ms: number, what: string): string => `${ms.toFixed(1).padStart(9)} ms  ${what}`;
  const packages = new Map<string, number>();
  for (const { ms, ...place } of times) packages.set(packageOf(place), (packages.get(packageOf(place)) ?? 0) + ms);
  const sorted = [...packages].sort(([, a], [, b]) => b - a);
  return [
    line(
      times.reduce((sum, { ms }) => sum + ms, 0),
      'in total, of which',
    ),
    ...sorted.map(([name, ms]) => line(ms, name)),
    'and by functions',
    ...times.slice(0, count).map(({ name, module, ms }) => line(ms, `${name} ${module}`)),
  ].join('\n');
}

function packageOf({ name, module }: Omit<SelfTime, 'ms'>): string {
  if (module === '') return name.startsWith('(') ? name : '(built in)';
  if (module.startsWith('node:')) return 'node';
  return module
    .split('/')
    .slice(0, /^(@|src\/|machines\/)/.test(module) ? 2 : 1)
    .join('/');
}
