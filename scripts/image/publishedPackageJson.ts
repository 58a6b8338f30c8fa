import packageJson from '../../package.json' with { type: 'json' };

const { name, version, description, license, homepage, repository, bugs, keywords } = packageJson;
const { type, engines, bin, exports } = packageJson;

/**
 * The package.json of the package of npm and of the image. It has no dependencies, because the bundle contains their code,
 * and nothing that only a checkout needs.
 */
export const publishedPackageJson = `${JSON.stringify(
  { name, version, description, license, homepage, repository, bugs, keywords, type, engines, bin, exports },
  null,
  2,
)}\n`;
