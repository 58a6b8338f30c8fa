/** Control characters, marks that turn the direction of writing, separators of lines, halves of surrogate pairs. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Foreign text as a part of one line of a terminal: what could move a cursor or turn the text is escaped, `\u001b`. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** Lines of ours with foreign text in them: line feeds stay. */
export function printableLines(text: string): string {
  return text.replace(unprintable, (character) => (character === '\n' ? character : escaped(character)));
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
