import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

interface FolderOptions {
  /** Whether the folders in a folder are read, too, except for hidden ones and `node_modules`. */
  readonly isRecursive: boolean;
}

/**
 * The files that an argument of the command line means: of a folder, those of YAML and JSON, in the order of their
 * names. Any other path, also of a file that does not exist, means itself; `-` is the standard input.
 */
export async function filesIn(path: string, options: FolderOptions): Promise<readonly string[]> {
  return path !== '-' && (await isFolder(path)) ? inFolder(path, options) : [path];
}

/** Whether the path is one of a folder, also by a link. */
export async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isDirectory() === true;
}

async function inFolder(folder: string, options: FolderOptions): Promise<readonly string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const files: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const isHidden = entry.name.startsWith('.') || entry.name === 'node_modules';
    if (!entry.isDirectory()) files.push(...(/\.(ya?ml|json)$/.test(entry.name) ? [path] : []));
    else if (options.isRecursive && !isHidden) files.push(...(await inFolder(path, options)));
  }
  return files;
}
