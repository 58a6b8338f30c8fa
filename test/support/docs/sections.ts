import { readFileSync } from 'node:fs';

/**
 * Returns the text of a hand-written Markdown file with its generated sections updated: the text between `<!--
 * generated: NAME -->` and `<!-- /generated -->` is replaced by the section of that name.
 */
export function withSections(file: URL, sections: Readonly<Record<string, string>>): string {
  const missing = new Set(Object.keys(sections));
  const text = readFileSync(file, 'utf8').replace(marked, (_whole, begin: string, name: string, end: string) => {
    const section = sections[name];
    if (section === undefined) throw new Error(`${file.pathname} has a section "${name}" that nothing generates`);
    missing.delete(name);
    return `${begin}\n${section}\n${end}`;
  });
  if (missing.size > 0) throw new Error(`${file.pathname} lacks the sections ${[...missing].join(', ')}`);
  return text;
}

const marked = /(<!-- generated: ([\w-]+) -->)\n[\s\S]*?(<!-- \/generated -->)/g;
