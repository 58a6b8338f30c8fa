import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { type CodedError, failed, ok, type Result } from '@weeder/kube-runtime/base';
import { codedError } from '../../base/errors.ts';
import { formatFieldError } from '../../base/fieldError.ts';
import { readConfigText, readStandardInput, standardInput } from '../../config/read.ts';
import { readManifests } from '../../suggest/manifests.ts';
import { largestApplications } from '../checkApplications.ts';

/** What files of manifests contain, as far as they can be read. */
interface ManifestFiles {
  readonly objects: readonly JsonObject[];
  /** Of files and documents that are left out. */
  readonly errors: readonly CodedError[];
  /** Sentences about values that are read otherwise than their author may expect. */
  readonly remarks: readonly string[];
}

/**
 * Reads the objects of files and folders as `kubectl apply -f` does: of a folder, its files with YAML or JSON. Fails
 * only if there is nothing that can be read.
 */
export async function readManifestFiles(paths: readonly string[], namespace: string): Promise<Result<ManifestFiles>> {
  const read = [];
  for (const path of paths) for (const file of await filesIn(path)) read.push(await readFile(file, namespace));
  const errors = read.flatMap((each) => each.errors);
  const objects = read.flatMap((each) => each.objects);
  const [first] = errors;
  if (first !== undefined && objects.length === 0) return failed(first);
  return ok({ objects, errors, remarks: read.flatMap(({ remarks }) => remarks) });
}

type File = { readonly path: string } | { readonly error: CodedError };

async function readFile(file: File, namespace: string): Promise<ManifestFiles> {
  if ('error' in file) return { objects: [], errors: [file.error], remarks: [] };
  const text = await readText(file.path);
  if (!text.ok)
    return { objects: [], errors: [invalid(`${text.error.map(formatFieldError).join(' ')}.`)], remarks: [] };
  const { objects, errors, remarks } = readManifests(
    text.value,
    file.path === '-' ? standardInput : file.path,
    namespace,
  );
  return { objects, errors: errors.map(invalid), remarks };
}

/** `-` is the standard input. */
function readText(file: string) {
  return file === '-' ? readStandardInput(largestApplications) : readConfigText(file, largestApplications);
}

async function filesIn(path: string): Promise<File[]> {
  if (path === '-') return [{ path }];
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory() !== true) return [{ path }];
  const names = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
  if (names.length > 0) return names.map((name) => ({ path: join(path, name) }));
  return [{ error: invalid(`The folder ${path} has no file of YAML or JSON.`) }];
}

function invalid(sentence: string): CodedError {
  return codedError('MANIFEST_INVALID', sentence);
}
