import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileEntry, gzip, writeTar } from '../image/tar.ts';

/** Returns the Helm chart in a folder as `helm package` lays it out, but the same bytes each time. */
export function chartArchive(name: string, folder: string): Buffer {
  const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((each) => each.isFile());
  const paths = files.map((each) => join(each.parentPath, each.name));
  return gzip(writeTar(paths.map((path) => fileEntry(join(name, relative(folder, path)), readFileSync(path)))));
}
