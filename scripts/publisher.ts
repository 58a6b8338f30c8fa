import { Problem } from './problem.ts';

/** Where a release is published. Everything that names its publisher is derived from this. */
export interface Publisher {
  readonly owner: string;
  /** The repository of the sources, such as `https://github.com/acme/weeder`. */
  readonly source: string;
  /** The image without a tag, such as `ghcr.io/acme/weeder`. */
  readonly image: string;
  /** Where charts are, such as `ghcr.io/acme/charts`. */
  readonly charts: string;
}

/** Reads the repository of the image: the sources are on GitHub, under the same name. */
export function readPublisher(repository: string | undefined): Publisher | undefined {
  if (repository === undefined) return undefined;
  const part = '[a-z0-9]+(?:[._-]+[a-z0-9]+)*';
  const pattern = new RegExp(`^(${part}(?::\\d+)?)/(${part})/(${part})$`);
  const [, registry, owner, name] = pattern.exec(repository) ?? [];
  if (registry === undefined || owner === undefined || name === undefined) {
    throw new Problem(
      `--repository is a registry, an owner and a name in lower case, such as ghcr.io/acme/weeder; found ${repository}.`,
    );
  }
  return {
    owner,
    source: `https://github.com/${owner}/${name}`,
    image: repository,
    charts: `${registry}/${owner}/charts`,
  };
}
