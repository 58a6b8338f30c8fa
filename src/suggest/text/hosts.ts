import { inPlainForms } from './plainForms.ts';

/** A place of a text where a host may be named. */
export interface HostMention {
  /** In lower case, without a dot at the end. */
  readonly host: string;
  readonly port: number | undefined;
  /** Of an SRV record: `grpc` of `_grpc._tcp.store`. */
  readonly portName: string | undefined;
  /**
   * `url`: in the authority of a URL. `hostPort`: `postgres:5432`. `word`: the name alone, or with the port after a
   * space, as in `nc -z postgres 5432`.
   */
  readonly form: 'url' | 'hostPort' | 'word';
  /** Of a URL, in lower case. */
  readonly scheme: string | undefined;
  /** The name is written with the namespace in a variable, and with `svc`: `postgres.$(NAMESPACE).svc`. */
  readonly isQualified: boolean;
  /** Of a word: the word before it, such as `--db-host` or `nslookup`. */
  readonly before: string | undefined;
  /** Of a word: the whole text is it, or a list of such words. */
  readonly isWhole: boolean;
}

/**
 * The authority may list several hosts, and ends where the next URL of a list begins. The path is of no interest. The
 * limit of the scheme keeps the search of a long text linear.
 */
const url =
  /\b([a-z][a-z0-9+.-]{0,30}):\/\/((?:(?!,[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'`<>(){}|;\\])*)(?:[/?#][^\s"'`<>,]*)?/gi;
/** URLs of these schemes have a path in place of a host. */
const hostless: ReadonlySet<string> = new Set(['file', 'unix']);
/** A name where a host may begin, with the port that directly follows, or its name in an SRV record before it. */
const token =
  /(?<![^\s,;=@"'`([{<>|&:])(?<!\$[{(])(?:_([-a-z0-9]{1,15})\._(?:tcp|udp)\.)?([a-z0-9][-a-z0-9.]*)(?::(\d{1,5})(?![\w.:]))?/g;
/** A command that takes URLs without a scheme, and what may follow the host of one. */
const fetching = /\b(?:curl|wget)\s/;
const afterHost = /^(?:$|[\s,;"'`)\]}<>|&\\/?])/;
/** The flag of the port that belongs to `-h` or `--host` before it. */
const portFlag = /^["']?\s(?:[^;|&\n]*\s)?(?:-p|-P|--port)[ =]?["']?(\d{1,5})(?!\w)/;
/** Nothing but names. */
const listOfNames = /^[\w.:-]+(?:[,;\s]\s?[\w.:-]+)*$/;
/** What may follow a name without a port. */
const afterWord = /^(?:$|[\s,;"'`)\]}<>|&\\])/;
const variableNamespace = /^\$(?:\([^)]*\)|\{[^}]*\}|\w+)\.svc\b/;

/** Finds the names of hosts in a text, of those that `isKnown` accepts. */
export function findHosts(text: string, isKnown: (host: string) => boolean): HostMention[] {
  const inUrls: HostMention[] = [];
  const rest = inPlainForms(text).replace(url, (whole, scheme: string, authority: string) => {
    if (hostless.has(scheme.toLowerCase())) return ' '.repeat(whole.length);
    for (const mention of hostsOf(authority, scheme.toLowerCase())) if (isKnown(mention.host)) inUrls.push(mention);
    return ' '.repeat(whole.length);
  });
  // Filtered as they are found: a text has many more names than hosts.
  const tokens = rest
    .matchAll(token)
    .filter(([, , name = '']) => isKnown(trimmed(name)))
    .toArray();
  const whole = rest.trim();
  const isList = whole.length <= longestList && listOfNames.test(whole);
  return [...inUrls, ...tokens.flatMap((match) => mentionAt(rest, match, { isWhole: isList }))];
}

/** Characters of a value that lists hosts. */
const longestList = 4_096;

/** User and password end at the last `@`. */
function hostsOf(authority: string, scheme: string): HostMention[] {
  const hosts = authority.slice(authority.lastIndexOf('@') + 1).split(',');
  return hosts.flatMap((address) => {
    const [, host, port] = /^([a-z0-9][-a-z0-9.]*?)\.?(?::(\d{1,5}))?$/i.exec(address) ?? [];
    if (host === undefined) return [];
    return [{ ...nowhere, host: host.toLowerCase(), port: numberIn(port), form: 'url', scheme }];
  });
}

const nowhere = {
  portName: undefined,
  scheme: undefined,
  isQualified: false,
  before: undefined,
  isWhole: false,
} as const;

function mentionAt(text: string, match: RegExpExecArray, { isWhole }: Pick<HostMention, 'isWhole'>): HostMention[] {
  const [whole, portName, name = '', port] = match;
  const before = text.slice(Math.max(0, match.index - 100), match.index);
  const after = text.slice(match.index + whole.length, match.index + whole.length + 200);
  const host = trimmed(name);
  if (port !== undefined || portName !== undefined)
    return [{ ...nowhere, host, port: numberIn(port), portName, form: 'hostPort' }];
  if (name.endsWith('.') && variableNamespace.test(after))
    return [{ ...nowhere, host, port: undefined, form: 'hostPort', isQualified: true }];
  if (isFetched(before) && afterHost.test(after))
    return [{ ...nowhere, host, port: undefined, form: 'url', scheme: 'http' }];
  if (!afterWord.test(after)) return [];
  const [, spaced] = /^\s+(\d{1,5})(?![\w.:])/.exec(after) ?? portFlag.exec(after) ?? [];
  return [
    {
      ...nowhere,
      host,
      port: numberIn(spaced),
      form: 'word',
      before: wordBefore(before),
      isWhole,
    },
  ];
}

/** The command is the last one. */
function isFetched(before: string): boolean {
  const [, ...commands] = before.split(fetching);
  return commands.length > 0 && !/[;|&\n]/.test(commands.at(-1) ?? '');
}

function trimmed(name: string): string {
  return name.replace(/(?<![.-])[.-]+$/, '');
}

function numberIn(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

/** The key, flag or command before a value: `host` of `"host": "postgres"`, `-h` of `-h postgres`. */
function wordBefore(text: string): string | undefined {
  return /(?:^|[\s,;({["'])(-{0,2}[A-Za-z][\w.-]*)["']?(?:\s*[=:]\s*|\s+)["'([]?$/.exec(text)?.[1];
}
