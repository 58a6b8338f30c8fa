import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codedError, failed, ok, type Result } from '../../base/errors.ts';
import { formatFieldError } from '../../base/fieldError.ts';
import type { JsonObject } from '../../base/json.ts';
import { readConfigText, readStandardInput, standardInput } from '../../config/read.ts';
import { readManifests } from '../../suggest/manifests.ts';
import { largestApplications } from '../checkApplications.ts';

/** Reads the objects of files and folders as `kubectl apply -f` does: of a folder, its files with YAML or JSON. */
export async function readManifestFiles(paths: readonly string[], namespace: string): Promise<Result<JsonObject[]>> {
  const objects: JsonObject[] = [];
  for (const path of paths) {
    const files = await filesIn(path);
    if (!files.ok) return files;
    for (const file of files.value) {
      const text = await readText(file);
      if (!text.ok) return failed(codedError('MANIFEST_INVALID', `${text.error.map(formatFieldError).join(' ')}.`));
      const read = readManifests(text.value, file === '-' ? standardInput : file, namespace);
      if (!read.ok) return read;
      objects.push(...read.value);
    }
  }
  return ok(objects);
}

/** `-` is the standard input. */
function readText(file: string) {
  return file === '-' ? readStandardInput(largestApplications) : readConfigText(file, largestApplications);
}

async function filesIn(path: string): Promise<Result<string[]>> {
  if (path === '-') return ok([path]);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return ok([path]);
  const names = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
  if (names.length > 0) return ok(names.map((name) => join(path, name)));
  return failed(codedError('MANIFEST_INVALID', `The folder ${path} has no file of YAML or JSON.`));
}
