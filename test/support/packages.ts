import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { checkout } from './cache.ts';

const record = z.record(z.string(), z.string());
const manifest = z.object({
  name: z.string(),
  exports: record,
  dependencies: record.default({}),
  peerDependencies: record.default({}),
  devDependencies: record.default({}),
});

/** The packages of this repository beside weeder itself. `folder`: from the root of the repository. */
export const packages = globSync('packages/*/package.json', { cwd: checkout })
  .sort()
  .map((file) => ({
    folder: dirname(file),
    ...manifest.parse(JSON.parse(readFileSync(join(checkout, file), 'utf8'))),
  }));
