import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileEntry, gzip, writeTar } from '../image/tar.ts';

/**
 * Returns the Helm chart in a folder as `helm package` lays it out, but the same bytes each time. `publish` returns the
 * content that a file has in the archive.
 */
export function chartArchive(
  name: string,
  folder: string,
  publish = (_path: string, content: Buffer): Buffer => content,
): Buffer {
  const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((each) => each.isFile());
  const entries = files.map((each) => {
    const path = join(each.parentPath, each.name);
    const inChart = relative(folder, path);
    return fileEntry(join(name, inChart), publish(inChart, readFileSync(path)));
  });
  return gzip(writeTar(entries));
}
