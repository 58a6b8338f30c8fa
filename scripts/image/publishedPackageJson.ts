import packageJson from '../../package.json' with { type: 'json' };
import type { Publisher } from '../publisher.ts';

const { name, version, description, license, keywords } = packageJson;
const { type, engines, bin, exports } = packageJson;

/**
 * The package.json of the package of npm and of the image. It has no dependencies, because the bundle contains their code,
 * and nothing that only a checkout needs.
 */
export function publishedPackageJson(publisher?: Publisher): string {
  const addresses = publisher === undefined ? {} : addressesAt(publisher.source);
  const content = { name, version, description, license, ...addresses, keywords, type, engines, bin, exports };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function addressesAt(source: string): object {
  return {
    homepage: `${source}#readme`,
    repository: { type: 'git', url: `git+${source}.git` },
    bugs: `${source}/issues`,
  };
}
