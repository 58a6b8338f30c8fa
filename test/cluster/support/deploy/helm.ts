import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtTools, type ToolModule } from '../plane/build.ts';
import { temporaryFile } from '../weeder.ts';
import { deployFolder, type Manifest, manifestsIn, shortLived } from './kustomize.ts';

const run = promisify(execFile);

export const chartFolder = join(deployFolder, 'chart');

const helmModule: ToolModule = {
  name: 'helm',
  version: /helm\.sh\/helm\/v4 (v[\d.]+)/,
  what: 'Helm',
  takes: '5 minutes',
  linkerFlags: (version) => [`-X helm.sh/helm/v4/internal/version.version=${version}`],
};

let folder: Promise<string> | undefined;

/** The folder of the program, which is built the first time. */
export function helmFolder(): Promise<string> {
  folder ??= builtTools(helmModule);
  return folder;
}

/** Runs Helm with these arguments and without the settings of the user, and returns its output. */
export async function helm(...args: readonly string[]): Promise<string> {
  const program = join(await helmFolder(), 'helm');
  const home = temporaryFile('helm');
  const env = { ...shortLived, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
  const { stdout } = await run(program, args, { env, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/** Writes values into a file, and returns the flags that name it. */
export function withValues(values: object): readonly string[] {
  const file = temporaryFile('values.json');
  writeFileSync(file, JSON.stringify(values));
  return ['--values', file];
}

interface TemplateOptions {
  readonly release?: string;
  readonly namespace?: string;
  /** The folder of another chart. */
  readonly chart?: string;
}

/** Renders the chart for a release in a namespace; both are called `weeder` by default. */
export async function template(
  values: object,
  { release = 'weeder', namespace = 'weeder', chart = chartFolder }: TemplateOptions = {},
): Promise<Manifest[]> {
  return manifestsIn(await helm('template', release, chart, '--namespace', namespace, ...withValues(values)));
}
