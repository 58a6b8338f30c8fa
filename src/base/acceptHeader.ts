import type { IncomingMessage } from 'node:http';

/** Whether the request names this media type or coding, or `*`, with a weight other than 0. Linear in the header. */
export function accepts(request: IncomingMessage, header: 'accept' | 'accept-encoding', name: string): boolean {
  return namesIn(String(request.headers[header] ?? ''), name);
}

export function namesIn(header: string, name: string): boolean {
  return header.split(',').some((range) => {
    const [what = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const isNamed = what === name || (what === '*' && !name.includes('/'));
    return isNamed && !parameters.some((each) => /^q\s?=\s?0(\.0*)?$/.test(each));
  });
}
