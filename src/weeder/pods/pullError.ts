import { textOf } from '@weeder/kube-runtime/base';

/**
 * `away`: the registry could not be reached or could not serve. `other`: anything else, such as an image that does not
 * exist, a refusal, a certificate or a full disk. `unsaid`: the kubelet waits before the next attempt, and does not say
 * why. Those before 1.32 say it only for seconds after each attempt.
 */
type PullErrorKind = 'away' | 'other' | 'unsaid';

/** What the kubelet says of a failed pull. */
export interface PullError {
  readonly kind: PullErrorKind;
  /** The innermost error, such as `dial tcp 10.0.0.7:5000: connect: connection refused`. */
  readonly detail: string;
}

const backedOff = 'ImagePullBackOff';
/** The kubelet's own word for it. CRI-O has it reported. */
const unavailable = 'RegistryUnavailable';
const pullReasons: readonly unknown[] = ['ErrImagePull', backedOff, unavailable];

/** Registries write parts of messages. Characters. */
const longestMessage = 8192;
const longestEnd = 600;

/** They may contain any word, which must not be read as a reason: quoted texts, images, URLs and hosts. */
const nameOrWord = /"[^"]*"|(?<host>(?<=\b(?:lookup|registry) )\S+)|[^\s"]+/g;
/** The words of errors that contain a slash. */
const words: readonly string[] = ['i/o', 'net/http:'];

/** Go's errors of connections, and statuses of servers that fail: what a line ends with, and what it says before. */
const awayAtTheEnd: readonly { readonly before: RegExp; readonly end: RegExp }[] = [
  {
    before: /\b(?:dial|read|write) (?:tcp|udp)\b/i,
    end: /: (?:connection refused|connection reset by peer|no route to host|network is unreachable|host is down|connection timed out|i\/o timeout|broken pipe|no such host|server misbehaving|temporary failure in name resolution)$/i,
  },
  {
    before: /""$/,
    end: /: (?:EOF|(?:net\/http: )?(?:TLS handshake timeout|timeout awaiting response headers|request canceled while waiting for connection|context deadline exceeded)(?: \(Client\.Timeout [a-z ]+\))?)$/,
  },
  { before: /\bstatus\b/, end: /: 5\d\d(?: [A-Za-z ]+)?$/ },
];
/** Whatever else is said: one of several mirrors has refused, or the proxy or a server for tokens is away. */
const otherAnywhere =
  /\b(?:not found|(?:manifest|name|blob|repository) unknown|denied|unauthorized|forbidden|authentication|authorize|token|x509|certificate|invalid|no space left|proxyconnect|too ?many ?requests)\b/i;

/** Reads `state.waiting` of a container status. Undefined: the container does not wait for its image. */
export function pullErrorOf({
  reason,
  message,
}: {
  readonly reason?: unknown;
  readonly message?: unknown;
}): PullError | undefined {
  if (!pullReasons.includes(reason)) return undefined;
  const whole = textOf(message) ?? '';
  // `Back-off pulling image "…": ErrImagePull: …`
  const said = reason === backedOff ? whole.replace(/^Back-off pulling image "[^"]*"(?:: )?/, '') : whole;
  const isUnavailable = reason === unavailable || said.startsWith(`${unavailable}: `);
  return { kind: kindOf(said, isUnavailable), detail: detailOf(said) };
}

function kindOf(said: string, isUnavailable: boolean): PullErrorKind {
  if (said === '' && !isUnavailable) return 'unsaid';
  if (said.length > longestMessage) return 'other';
  const text = said.replace(nameOrWord, (word, host) => (host === undefined && !isName(word) ? word : hidden(word)));
  if (otherAnywhere.test(text)) return 'other';
  return isUnavailable || endsAway(text.slice(-longestEnd)) ? 'away' : 'other';
}

function isName(word: string): boolean {
  return word.startsWith('"') || (word.includes('/') && !words.includes(word));
}

function hidden(name: string): string {
  return name.endsWith(':') ? '"":' : '""';
}

function endsAway(text: string): boolean {
  const line = text.split(/[\n\r]/).at(-1) ?? '';
  return awayAtTheEnd.some(({ before, end }) => {
    const found = end.exec(line);
    return found !== null && before.test(line.slice(0, found.index));
  });
}

/** What follows the last quoted text, which is the image or the URL. */
function detailOf(said: string): string {
  return said.slice(said.lastIndexOf('"') + 1).replace(/^: /, '');
}
