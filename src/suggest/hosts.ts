/** A place of a text where a host may be named. */
export interface HostMention {
  /** In lower case, without a dot at the end. */
  readonly host: string;
  readonly port: number | undefined;
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
  /** Of a word: it is the whole text. */
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
/** The resolvers of gRPC have the host where other URLs have the path: `dns:///postgres:5432`. */
const resolver = /\b(dns|xds):\/\/\//gi;
/** A name where a host may begin, with the port that directly follows. */
const token = /(?<![^\s,;=@"'`([{<>|&:])(?<!\$[{(])([a-z0-9][-a-z0-9.]*)(?::(\d{1,5})(?![\w.:]))?/g;
/** What may follow a name without a port. */
const afterWord = /^(?:$|[\s,;"'`)\]}<>|&\\])/;
const variableNamespace = /^\$(?:\([^)]*\)|\{[^}]*\}|\w+)\.svc\b/;

/** Finds the names of hosts in a text, of those that `isKnown` accepts. */
export function findHosts(text: string, isKnown: (host: string) => boolean): HostMention[] {
  const inUrls: HostMention[] = [];
  const rest = text.replace(resolver, '$1://').replace(url, (whole, scheme: string, authority: string) => {
    if (hostless.has(scheme.toLowerCase())) return ' '.repeat(whole.length);
    for (const mention of hostsOf(authority, scheme.toLowerCase())) if (isKnown(mention.host)) inUrls.push(mention);
    return ' '.repeat(whole.length);
  });
  const tokens = [...rest.matchAll(token)].filter(([, name = '']) => isKnown(trimmed(name)));
  const whole = rest.trim();
  return [...inUrls, ...tokens.flatMap((match) => mentionAt(rest, whole, match))];
}

/** User and password end at the last `@`. */
function hostsOf(authority: string, scheme: string): HostMention[] {
  const hosts = authority.slice(authority.lastIndexOf('@') + 1).split(',');
  return hosts.flatMap((each) => {
    const [, host, port] = /^([a-z0-9][-a-z0-9.]*?)\.?(?::(\d{1,5}))?$/i.exec(each) ?? [];
    if (host === undefined) return [];
    return [{ ...nowhere, host: host.toLowerCase(), port: numberIn(port), form: 'url', scheme }];
  });
}

const nowhere = { scheme: undefined, isQualified: false, before: undefined, isWhole: false } as const;

function mentionAt(text: string, trimmedText: string, match: RegExpExecArray): HostMention[] {
  const [whole, name = '', port] = match;
  const after = text.slice(match.index + whole.length, match.index + whole.length + 200);
  if (port !== undefined) return [{ ...nowhere, host: trimmed(name), port: numberIn(port), form: 'hostPort' }];
  if (name.endsWith('.') && variableNamespace.test(after))
    return [{ ...nowhere, host: trimmed(name), port: undefined, form: 'hostPort', isQualified: true }];
  if (!afterWord.test(after)) return [];
  const [, spaced] = /^\s+(\d{1,5})(?![\w.:])/.exec(after) ?? [];
  return [
    {
      ...nowhere,
      host: trimmed(name),
      port: numberIn(spaced),
      form: 'word',
      before: wordBefore(text.slice(Math.max(0, match.index - 100), match.index)),
      isWhole: trimmedText === name,
    },
  ];
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
