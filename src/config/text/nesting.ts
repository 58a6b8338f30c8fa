/** Far more than any config contains, because brackets in texts and comments are counted, too. */
const maxOpenBrackets = 1_000;
const maxInLine = 200;

/**
 * Whether a YAML text opens so many brackets, or begins so many lists in one line (`- - - a`), that it should not be
 * parsed: the parser takes seconds to reject a MiB of `[`. One pass, which does not interpret the text.
 */
export function isNestedTooDeeply(text: string): boolean {
  let open = 0;
  let begun = 0;
  let isAtBeginning = true;
  for (let index = 0; index < text.length; index += 1) {
    switch (text[index]) {
      case '[':
      case '{':
        open += 1;
        break;
      case ']':
      case '}':
        open = Math.max(0, open - 1);
        break;
      case '-':
      case '?':
        isAtBeginning &&= text[index + 1] === ' ';
        if (isAtBeginning) begun += 1;
        break;
      case '\n':
        begun = 0;
        isAtBeginning = true;
        continue;
      case ' ':
        continue;
      default:
        isAtBeginning = false;
    }
    if (open > maxOpenBrackets || begun > maxInLine) return true;
  }
  return false;
}
