import { Problem } from '../problem.ts';

export interface Change {
  /** A kind of Keep a Changelog, in lower case, as Artifact Hub names it. */
  readonly kind: string;
  readonly description: string;
}

/** Returns the changes of a version: each item of its lists below a heading such as `### Added`, without markup. */
export function changesOf(changelog: string, version: string): readonly Change[] {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((each) => each.startsWith(`${version} `));
  if (section === undefined) throw new Problem(`CHANGELOG.md has no section of the version ${version}.`);
  const [, ...parts] = section.split(/^### /m);
  return parts.flatMap((part) => {
    const [heading = '', ...lines] = part.split('\n');
    return lines
      .filter((line) => line.startsWith('- '))
      .map((line) => ({ kind: heading.trim().toLowerCase(), description: plain(line.slice(2)) }));
  });
}

function plain(markdown: string): string {
  return markdown
    .replaceAll(/ ?\(\[[^\]]*]\([^)]*\)\)/g, '')
    .replaceAll(/\[([^\]]*)]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`/g, '');
}
