import type { Confidence } from '../dependencies/dependency.ts';
import { isBehind, type ObservedService } from './observed.ts';
import type { PlacedText } from './podTexts.ts';
import type { NamedService } from './serviceNames.ts';
import { isAddressKey, isNameKey, portKeyOf } from './text/addressKeys.ts';
import type { HostMention } from './text/hosts.ts';

/** How probable it is that a mention means the Service, and the rule that says so, as a clause. */
export interface Rating {
  readonly confidence: Confidence;
  readonly because: string;
  /** The port that belongs to the mention, if it is one of the Service. */
  readonly port: number | undefined;
}

/** The ports that URLs of these schemes mean if they name none. */
const defaultPorts: ReadonlyMap<string, number> = new Map([
  ...([
    ['http', 80],
    ['ws', 80],
    ['https', 443],
    ['wss', 443],
  ] as const),
  ...([
    ['postgres', 5432],
    ['postgresql', 5432],
    ['mysql', 3306],
    ['mariadb', 3306],
  ] as const),
  ...([
    ['redis', 6379],
    ['rediss', 6379],
    ['mongodb', 27017],
    ['amqp', 5672],
    ['amqps', 5671],
  ] as const),
  ...([
    ['nats', 4222],
    ['ldap', 389],
    ['ldaps', 636],
    ['smtp', 25],
  ] as const),
]);

/** Rates one mention of a Service. */
export function rate(mention: HostMention, { service, form }: NamedService, text: PlacedText): Rating {
  const port = mention.port ?? defaultPorts.get(mention.scheme ?? '');
  if (port !== undefined && service.ports.has(port)) return high('with a port of the Service', port);
  if (mention.portName !== undefined)
    return service.portNames.has(mention.portName)
      ? high('with the name of a port of the Service', undefined)
      : medium('an SRV record');
  if (mention.isQualified || (form === 'qualified' && mention.port === undefined))
    return high('the full name of the Service', undefined);
  if (mention.form === 'word') return rateWord(mention, { service, form }, text);
  return mention.port === undefined ? medium('a URL') : rateOtherPort(mention, { service, form }, text);
}

/** Rates a mention with a port that the Service does not have. */
function rateOtherPort(mention: HostMention, { service, form }: NamedService, text: PlacedText): Rating {
  // The name of a headless Service resolves to its pods, which may listen on other ports.
  if (service.isHeadless) return medium('with a port, and the Service is headless');
  if (form === 'qualified') return medium('the full name of the Service, with a port that it does not have');
  if (mention.form === 'hostPort' && text.key !== undefined && isAddressKey(text.key))
    return medium(`the value of ${text.key}, with a port that the Service does not have`);
  return low('with a port that the Service does not have');
}

/** What several workloads take whole says of none of them that it uses all of it. */
export function rateShared(rating: Rating, { sharers: { size: count } }: PlacedText, isShared: boolean): Rating {
  if (count < 2) return rating;
  const those = isShared ? `${count} workloads, its own pods among them,` : `${count} workloads`;
  const confidence = rating.confidence === 'high' ? 'medium' : rating.confidence;
  return { ...rating, confidence, because: `${rating.because}, in what ${those} take whole` };
}

/** Whether the pods of a Service take the text, too. A text may name a Service often, and have many sharers. */
export function sharedWith({ sharers }: PlacedText): (service: ObservedService) => boolean {
  const decided = new Map<ObservedService, boolean>();
  return (service) => {
    const isShared =
      decided.get(service) ?? (sharers.size > 1 && [...sharers].some((workload) => isBehind(workload, service)));
    decided.set(service, isShared);
    return isShared;
  };
}

function rateWord({ before, isWhole }: HostMention, { service, form }: NamedService, text: PlacedText): Rating {
  const isValue = isWhole && before === undefined;
  const valueKey = text.key ?? '';
  if (isWhole && isAddressKey(valueKey)) return rateValue(valueKey, service, text);
  // The word before a name in a Secret may be a part of a password.
  if (!isValue && isAddressKey(before ?? ''))
    return medium(`the value of ${text.isSecret ? 'a key for addresses' : before}`);
  if (form !== 'name') return medium('the name with a namespace');
  const isSpecific = isValue && service.name.includes('-') && valueKey !== '' && !isNameKey(valueKey);
  return isSpecific ? medium('a name of several words') : low('only the name');
}

/** Rates the value of a key for addresses: its port may be the value of another key. */
function rateValue(key: string, service: ObservedService, { siblings }: PlacedText): Rating {
  const port = Number(siblings.get(portKeyOf(key)));
  return service.ports.has(port)
    ? high(`with a port of the Service in ${portKeyOf(key)}`, port)
    : medium(`the value of ${key}`);
}

function high(because: string, port: number | undefined): Rating {
  return { confidence: 'high', because, port };
}

function medium(because: string): Rating {
  return { confidence: 'medium', because, port: undefined };
}

function low(because: string): Rating {
  return { confidence: 'low', because, port: undefined };
}
