/** A sign in a text that the DNS server itself failed. */
interface DnsFailure {
  /** The address of the server; undefined: the text does not name it. */
  readonly server: string | undefined;
  /** It answers, but cannot answer this: it may have no connection to a server of its own. */
  readonly isAnswer: boolean;
  /** The matched part, without the name that was looked up: a malformed URL may make a password of it. */
  readonly found: string;
}

const server = String.raw`\[?(?<server>\d[\d.]{6,14}|[\da-f:]{2,39})\]?`;

/**
 * That a name does not exist is the answer of a DNS server that works: none matches `no such host`, `NXDOMAIN`,
 * `ENOTFOUND`, `Name or service not known` and `Name does not resolve`.
 */
const patterns: readonly RegExp[] = [
  // Go, which may add `read udp 10.244.0.5:34567->10.96.0.10:53: `.
  new RegExp(
    String.raw`\blookup \S{1,255} on ${server}:53: (?:(?:dial|read|write) (?:udp|tcp)(?: \S{1,140})?: (?:(?:connect|read|write): )?)?(?<reason>i/o timeout|connection refused|server misbehaving)\b`,
    'g',
  ),
  /\blookup \S{1,255}: (?<reason>i\/o timeout)\b/g,
  // glibc, and Node.js with getaddrinfo and with c-ares.
  /\b(?<reason>Temporary failure in name resolution|getaddrinfo EAI_AGAIN|query[A-Z]\w{0,5} (?:ETIMEOUT|ECONNREFUSED|ESERVFAIL))\b/g,
  // musl
  /\b(?:getaddrinfo|address information|translate host name)\b[^\n]{0,300}?: (?<reason>Try again)\b/g,
  // dig and nslookup
  new RegExp(String.raw`;; communications error to ${server}#53: (?<reason>timed out|connection refused)\b`, 'g'),
];

/** Finds the signs in a text. */
export function dnsFailuresIn(text: string): DnsFailure[] {
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ groups = {} }): DnsFailure => {
      const { server: address, reason = '' } = groups;
      return {
        server: address,
        isAnswer: /misbehaving|SERVFAIL/.test(reason),
        found: address === undefined ? reason : `${address}:53: ${reason}`,
      };
    }),
  );
}
