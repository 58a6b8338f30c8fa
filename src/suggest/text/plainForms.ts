/**
 * Notations of addresses that only one client, shell or resolver has, in terms of the general ones: each becomes
 * `host:port`, a URL, or a name after a key.
 */
const notations: readonly (readonly [RegExp, string])[] = [
  // The resolvers of gRPC have the host where other URLs have the path: `dns:///postgres:5432`.
  [/\b(dns|xds):\/\/\//gi, '$1://'],
  // Bash: `</dev/tcp/postgres/5432`.
  [/\/dev\/(?:tcp|udp)\/([\w.-]{1,253})\/(\d{1,5})/g, ' $1:$2 '],
  // Oracle: `jdbc:oracle:thin:@oracle:1521:XE` and `…:@//oracle:1521/service`.
  [/\bjdbc:oracle:\w{1,10}:[^\s@]{0,200}@(?:\/\/)?([\w.-]{1,253}):(\d{1,5})(?:[:/][\w.-]*)?/gi, ' $1:$2 '],
  // SQL Server: `Data Source=tcp:sqldata,1433`, `Server=sqldata\SQLEXPRESS,1433`.
  [
    /\b(?:data source|server|addr|address|network address) ?= ?(?:tcp:)?([a-z0-9][\w.-]{0,252})(?:\\\w{1,100})?, ?(\d{1,5})\b/gi,
    ' $1:$2 ',
  ],
  [/\b(?:data source) ?= ?(?:tcp:)?/gi, ' server='],
  [/(?<![\w:])tcp:([a-z0-9][\w.-]{0,252}),(\d{1,5})\b/gi, ' $1:$2 '],
  // Thanos: `dnssrv+_grpc._tcp.store.monitoring`, `dns+store:10901`.
  [/(?<!\w)dns(?:srv(?:noa)?)?\+/g, ' '],
  // The client of MySQL: `mysql -hpostgres`.
  [/(?<=\s)-h(?=[a-z0-9])/g, '-h '],
];

/** The text with all addresses in general notations. */
export function inPlainForms(text: string): string {
  return withListKeys(notations.reduce((plain, [notation, general]) => plain.replace(notation, general), text));
}

const keyLine = /^(\s*)(?:- )?["']?([A-Za-z][\w.-]{0,100})["']?:\s*$/;
const itemLine = /^(\s*)- ["']?([a-z0-9][\w.:-]{0,300})["']?\s*$/;

/** An item of a list in YAML gets the key of the list: `hosts:` and `- postgres` become `hosts: postgres`. */
function withListKeys(text: string): string {
  if (!text.includes('\n')) return text;
  let key: { readonly indent: number; readonly name: string } | undefined;
  return text
    .split('\n')
    .map((line) => {
      const [, indent = '', name] = keyLine.exec(line) ?? [];
      if (name !== undefined) key = { indent: indent.length, name };
      const [, before = '', item] = itemLine.exec(line) ?? [];
      if (item !== undefined && key !== undefined && before.length >= key.indent)
        return `${before}${key.name}: ${item}`;
      if (name === undefined && line.trim() !== '') key = undefined;
      return line;
    })
    .join('\n');
}
