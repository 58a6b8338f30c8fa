import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { builtTools, type ToolModule } from '../plane/build.ts';

const run = promisify(execFile);

/** The folder with the manifests. */
export const deployFolder = join(import.meta.dirname, '../../../../deploy');

/** An object that kustomize renders. */
export const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
export type Manifest = z.infer<typeof Manifest>;

/** A separate Go module, so that a new version of kustomize does not invalidate the built control plane. */
const kustomize: ToolModule = {
  name: 'kustomize',
  version: /sigs\.k8s\.io\/kustomize\/kustomize\/v5 (v[\d.]+)/,
  what: 'kustomize',
  takes: 'a minute',
  otherwise: ', or add kustomize or kubectl to the folder that KUBEBUILDER_ASSETS names',
};

/** The environment of a program in Go that ends before its garbage matters. */
export const shortLived = { ...process.env, GOGC: '400' };

let command: Promise<readonly string[]> | undefined;
const rendered = new Map<string, Promise<Manifest[]>>();
const parsed = new Map<string, Manifest | undefined>();

/** The objects of a rendered text. Equal ones are parsed once, because combinations of components share most of them. */
export function manifestsIn(text: string): Manifest[] {
  return text.split(/^---$/m).flatMap((document) => {
    // YAML 1.1 like kubectl, for which `on` is a boolean.
    if (!parsed.has(document)) {
      parsed.set(document, Manifest.nullable().parse(parse(document, { version: '1.1' })) ?? undefined);
    }
    return parsed.get(document) ?? [];
  });
}

/** Renders a kustomization. The result is cached. */
export function render(folder: string): Promise<Manifest[]> {
  const objects = rendered.get(folder) ?? build(folder);
  rendered.set(folder, objects);
  return objects;
}

async function build(folder: string): Promise<Manifest[]> {
  command ??= findKustomize();
  const [program = '', ...args] = await command;
  const { stdout } = await run(program, [...args, folder], { env: shortLived, maxBuffer: 16 * 1024 * 1024 });
  return manifestsIn(stdout);
}

/** The command line without the folder. */
async function findKustomize(): Promise<readonly string[]> {
  const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';
  const [own, kubectl] = [join(assets, 'kustomize'), join(assets, 'kubectl')];
  if (assets !== '' && existsSync(own)) return [own, 'build'];
  if (assets !== '' && existsSync(kubectl)) return [kubectl, 'kustomize'];
  return [join(await builtTools(kustomize), 'kustomize'), 'build'];
}
