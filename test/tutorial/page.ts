/** A command of a page. */
export interface Command {
  readonly command: string;
  /** The lines that the page shows below it. */
  readonly output: readonly string[];
}

/** A file that a page shows. */
export interface PageFile {
  /** Its path, from the first line of the block. */
  readonly file: string;
  readonly content: string;
}

export type Step = Command | PageFile;

/** Returns what the reader of a page types and saves, in order: its blocks `console` and `yaml`. */
export function readPage(text: string, omittedSection?: string): readonly Step[] {
  const sections = text.split(/^(?=## )/m).filter((section) => !section.startsWith(`## ${omittedSection}\n`));
  const blocks = sections.join('').matchAll(/^( *)```(\w+)\n([\s\S]*?)^ *```$/gm);
  return [...blocks].flatMap(([, indentation = '', language = '', content = '']): readonly Step[] => {
    const lines = content
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(indentation.length));
    if (language === 'console') return commandsOf(lines);
    return language === 'yaml' ? [fileOf(lines)] : [];
  });
}

function commandsOf(lines: readonly string[]): readonly Command[] {
  const commands: { readonly command: string; readonly output: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith('$ ')) commands.push({ command: line.slice(2), output: [] });
    else if (commands.length > 0) commands.at(-1)?.output.push(line);
    else throw new Error(`A block of a page begins with an output, not with a command: ${line}`);
  }
  return commands;
}

function fileOf(lines: readonly string[]): PageFile {
  const file = /^# (\S+\.yaml)$/.exec(lines[0] ?? '')?.[1];
  if (file === undefined) throw new Error(`The first line of a block of YAML is not the name of its file: ${lines[0]}`);
  return { file, content: `${lines.join('\n')}\n` };
}
