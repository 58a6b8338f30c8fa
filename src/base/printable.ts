/** Control characters, bidirectional formatting characters, line separators, and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Makes foreign text safe for one line of a terminal: characters that could move the cursor or reverse the text are
 * escaped, `\u001b`.
 */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** The same for lines of weeder's own that contain foreign text: line feeds stay. */
export function printableLines(text: string): string {
  return text.replace(unprintable, (character) => (character === '\n' ? character : escaped(character)));
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
