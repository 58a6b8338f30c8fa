/** What `/readyz?verbose` says, as lines of text: what is wrong line by line, and streams that are read as a number. */
export function healthLines(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => /^\[[+-]\]/.test(line));
  const [streams, checks] = [lines.filter(isOfStream), lines.filter((line) => !isOfStream(line))];
  const bad = streams.filter((line) => line.startsWith('[-]') || line.includes('down for'));
  return [
    ...checks.filter((line) => !line.includes(']ping ')).map(inWords),
    ...(streams.length === 0 ? [] : [`streams: ${streams.length - bad.length} of ${streams.length} are read`]),
    ...bad.map((line) => `  ${inWords(line)}`),
  ];
}

function isOfStream(line: string): boolean {
  return line.slice(3).startsWith('stream/');
}

/** `[+]manager ok: at work` is `manager: at work`. */
function inWords(line: string): string {
  return line.replace(/^\[\+\](\S+) ok/, '$1').replace(/^\[-\](.*) failed/, '$1: failed');
}
