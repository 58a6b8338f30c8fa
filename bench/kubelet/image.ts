import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SetupProblem } from '../../test/cluster/support/plane/process.ts';
import { image } from './configs.ts';

const run = promisify(execFile);

/** Builds the static program of the pods and packs it as an image for `ctr images import`, without a registry. */
export async function packWorkload(folder: string): Promise<void> {
  const imageFolder = join(folder, 'image');
  await mkdir(join(imageFolder, 'root'), { recursive: true });
  await compile(join(imageFolder, 'root', 'workload'));
  await run('tar', ['-C', join(imageFolder, 'root'), '-cf', join(imageFolder, 'layer.tar'), 'workload']);
  const layer = `sha256:${sha256(await readFile(join(imageFolder, 'layer.tar')))}`;
  const config = JSON.stringify({
    architecture: architecture(),
    os: 'linux',
    config: { Entrypoint: ['/workload'], Cmd: ['pause'] },
    rootfs: { type: 'layers', diff_ids: [layer] },
  });
  const manifest = [{ Config: 'config.json', RepoTags: [image], Layers: ['layer.tar'] }];
  await writeFile(join(imageFolder, 'config.json'), config);
  await writeFile(join(imageFolder, 'manifest.json'), JSON.stringify(manifest));
  await run('tar', [
    '-C',
    imageFolder,
    '-cf',
    join(folder, 'workload.tar'),
    'manifest.json',
    'config.json',
    'layer.tar',
  ]);
  await rm(imageFolder, { recursive: true });
}

/** Builds the image of weeder as users do. */
export async function packWeeder(folder: string): Promise<void> {
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'image', 'build.ts');
  const flags = ['--platform', `linux/${architecture()}`, '--output', join(folder, 'weeder.tar')];
  await run(process.execPath, [script, ...flags], { cwd: join(import.meta.dirname, '..', '..') }).catch(
    (error: unknown) => {
      throw new SetupProblem(`The image of weeder cannot be built: ${error instanceof Error ? error.message : error}`);
    },
  );
}

/** Of this machine, by the name that images use. */
function architecture(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}

async function compile(target: string): Promise<void> {
  const source = join(import.meta.dirname, 'workload');
  const env = { ...process.env, CGO_ENABLED: '0' };
  await run('go', ['build', '-ldflags', '-s -w', '-o', target, '.'], { cwd: source, env }).catch((error: unknown) => {
    throw new SetupProblem(
      `The program of the pods cannot be built: ${error instanceof Error ? error.message : error}`,
    );
  });
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
