import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { installCrd } from '../../cluster/support/observer/applicationCrd.ts';
import type { Cluster } from '../../cluster/support/plane/access.ts';

const run = promisify(execFile);
const Downloaded = z.object({ Version: z.string(), Dir: z.string() });

interface GoModule {
  readonly version: string;
  /** The folder with its sources, which is read-only. */
  readonly folder: string;
}

/** Downloads a Go module: `path@version`, or the path of one that the go.mod in the folder `from` requires. */
export async function goModule(module: string, from = tmpdir()): Promise<GoModule> {
  const { stdout } = await run('go', ['mod', 'download', '-json', module], { cwd: from });
  const { Version: version, Dir: folder } = Downloaded.parse(JSON.parse(stdout));
  return { version, folder };
}

/** Installs the CRDs in these files of a module. */
export async function installCrdsOf(cluster: Cluster, { folder }: GoModule, files: string): Promise<void> {
  const paths = globSync(files, { cwd: folder });
  if (paths.length === 0) throw new Error(`no file of ${folder} matches ${files}`);
  for (const file of paths) await installCrd(cluster, parse(readFileSync(join(folder, file), 'utf8')));
}
