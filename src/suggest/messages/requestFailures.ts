/** A request to a cluster service that failed because the service was away, and not because of what it answered. */
export interface RequestFailure {
  readonly to: 'webhook' | 'registry' | 'CSI driver';
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The matched part, without the path of the URL, which may contain a token. */
  readonly found: string;
}

/**
 * Go's error of a request, which may be to a webhook, or what containerd says of a registry that cannot serve. A URL
 * with a login does not match, nor does a failed lookup of the host: that is a failure of DNS.
 */
const request = new RegExp(
  String.raw`(?:\bfailed calling webhook "(?<webhook>[a-z\d][-a-z\d.]{0,252})": (?:failed to call webhook: )?)?` +
    String.raw`\b(?:(?:Get|Head|Post|Put|Patch|Delete) "?|unexpected status (?:code |from [A-Z]{3,7} request to ))` +
    String.raw`(?<origin>https?://(?:\[(?<address>[\da-f:]{2,39})\]|(?<host>[a-z\d](?:[-a-z\d.]{0,251}[a-z\d])?))(?::(?<port>\d{1,5}))?)(?:[/?][^\s"]{0,1000})?"?: ` +
    String.raw`(?:dial tcp \S{1,60}:\d{1,5}: (?:connect: )?|(?:read|write) tcp \S{1,120}: (?:(?:read|write): )?|net/http: )?` +
    String.raw`(?<reason>connection refused|connection reset by peer|no route to host|i/o timeout|context deadline exceeded|TLS handshake timeout|EOF|request canceled while waiting for connection|no endpoints available for service|5\d\d)\b`,
  'g',
);

/**
 * Finds them in the last messages of a container that ran, if they are to webhooks or in lines about CSI, or in the
 * kubelet's message about an image that it could not pull.
 */
export function requestFailuresIn(text: string, of: 'run' | 'pull'): RequestFailure[] {
  return text.split('\n').flatMap((line) => {
    const other = of === 'pull' ? 'registry' : /\bcsi\b/i.test(line) ? 'CSI driver' : undefined;
    // A log of JSON has escaped quotes.
    return [...line.replaceAll(/(?<!\\)\\+"/g, '"').matchAll(request)].flatMap(({ groups = {} }): RequestFailure[] => {
      const { webhook, origin = '', address, host = '', port = origin.startsWith('https') ? 443 : 80, reason } = groups;
      const to = webhook === undefined ? other : 'webhook';
      if (to === undefined) return [];
      const name = webhook === undefined ? '' : `webhook "${webhook}": `;
      return [{ to, host: address ?? host, port: Number(port), found: `${name}${origin}: ${reason}` }];
    });
  });
}
