import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is removed at the end of its block. */
interface Folder extends Disposable {
  readonly path: string;
  /** Writes a file and returns its path. */
  write(name: string, content: string | Buffer): string;
}

export function folder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'weeder-kubeconfig-'));
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  };
}
