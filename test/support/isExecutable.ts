import { accessSync, constants } from 'node:fs';

/** Whether there is an executable file at this path. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
