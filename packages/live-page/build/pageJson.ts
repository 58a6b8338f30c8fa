import { readFile } from 'node:fs/promises';
import { palette, svgStyle } from '@weeder/machine-diagrams';
import { rolldown } from 'rolldown';

const folder = new URL('../src/', import.meta.url);

/** The live page as weeder serves it, with these machines in its lists: the files by their names, as JSON. */
export async function pageJson(machines: readonly string[]): Promise<string> {
  const options = machines.map((name) => `<option>${name}</option>`).join('');
  const files = {
    'index.html': (await text('index.html')).replaceAll('<!-- machines -->', options),
    // The page refuses the pictures' own style sheets; these are the same rules for its pictures.
    'page.css': `${palette(':root')}\n${await styles()}.picture{${svgStyle}}\n`,
    'page.js': await script(),
    'icon.svg': await text('icon.svg'),
  };
  return `${JSON.stringify(files, null, 2)}\n`;
}

/** Without line breaks and indentation, which mean as much as one space there. */
async function text(name: string): Promise<string> {
  return (await readFile(new URL(name, folder), 'utf8')).replaceAll(/\s+/g, ' ');
}

/** Without comments and needless spaces: no selector, and no text, has one of these signs before a space. */
async function styles(): Promise<string> {
  return (await text('page.css')).replaceAll(/\/\*.*?\*\/|(?<=[{};:,]) | (?=[{}])/g, '');
}

async function script(): Promise<string> {
  await using bundle = await rolldown({ input: new URL('main.ts', folder).pathname, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  return output[0].code;
}
