import type { JsonObject } from '@weeder/kube-runtime/base';
import { type CodedError, failed, ok, type Result } from '@weeder/kube-runtime/base';
import { codedError } from '../../base/errors.ts';
import { formatFieldError } from '../../base/fieldError.ts';
import { readConfigText, readStandardInput, standardInput } from '../../config/read.ts';
import { readManifests } from '../../suggest/manifests.ts';
import { largestApplications } from '../check/checkApplications.ts';
import { filesIn } from '../filesIn.ts';

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
  for (const path of paths) {
    const files = await filesIn(path, { isRecursive: false });
    for (const file of files) read.push(await readFile(file, namespace));
    if (files.length === 0) read.push(unread(`The folder ${path} has no file of YAML or JSON.`));
  }
  const errors = read.flatMap((each) => each.errors);
  const objects = read.flatMap((each) => each.objects);
  const [first] = errors;
  if (first !== undefined && objects.length === 0) return failed(first);
  return ok({ objects, errors, remarks: read.flatMap(({ remarks }) => remarks) });
}

async function readFile(path: string, namespace: string): Promise<ManifestFiles> {
  const text = await readText(path);
  if (!text.ok) return unread(`${text.error.map(formatFieldError).join(' ')}.`);
  const { objects, errors, remarks } = readManifests(text.value, path === '-' ? standardInput : path, namespace);
  return { objects, errors: errors.map(invalid), remarks };
}

function unread(sentence: string): ManifestFiles {
  return { objects: [], errors: [invalid(sentence)], remarks: [] };
}

/** `-` is the standard input. */
function readText(file: string) {
  return file === '-' ? readStandardInput(largestApplications) : readConfigText(file, largestApplications);
}

function invalid(sentence: string): CodedError {
  return codedError('MANIFEST_INVALID', sentence);
}
