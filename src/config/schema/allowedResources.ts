import { z } from 'zod';
import { quoted } from '../../base/fieldError.ts';
import { namespaceNames, withDefault } from './selectorSchema.ts';

/**
 * `Deployment` of a built-in group of Kubernetes, `Widget.example.org`, or `*.example.org` for every kind of a group.
 */
const kindPattern =
  /^(?:[A-Za-z][A-Za-z0-9]{0,62}|(?:[A-Za-z][A-Za-z0-9]{0,62}|\*)\.[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?)$/;

const kindNames = z.array(
  z.string().regex(kindPattern, {
    error: ({ input }) =>
      `found ${quoted(String(input))}; a kind is written like Deployment, Widget.example.org or *.example.org`,
  }),
);

const entry = z
  .strictObject({
    applicationNamespaces: withDefault(z.union([z.enum(['all']), namespaceNames]), 'all').describe(
      'The namespaces of the Applications that this entry applies to.',
    ),
    namespaces: withDefault(z.union([z.enum(['same', 'all']), namespaceNames]), 'same').describe(
      'The namespaces that the resources may be in: `same` is that of the Application, `all` is every namespace, a list names them.',
    ),
    kinds: withDefault(
      z.union([z.enum(['all']), kindNames.min(1, { error: 'this list is empty; name a kind, or leave out the key' })]),
      'all',
    ).describe(
      'The namespaced kinds that are allowed: `Deployment` for a kind of Kubernetes, `Widget.example.org`, or `*.example.org` for every kind of a group.',
    ),
    exceptKinds: withDefault(kindNames, []).describe('The exceptions from `kinds`, such as `ResourceQuota`.'),
    clusterKinds: withDefault(z.union([z.enum(['all']), kindNames]), []).describe(
      'The cluster-scoped kinds that are allowed, such as `Namespace`.',
    ),
  })
  .describe('What Applications may hold. A resource is allowed if one of the entries allows it.');

/** The resources that Applications may contain: the key `allow` of the section `observer`. */
export const allowedResources = withDefault(
  z.array(entry).min(1, { error: 'this list is empty, so that no Application may hold anything; leave out the key' }),
  [{}],
);

export type AllowedResources = z.output<typeof allowedResources>;

/** Allows everything, so that only the permissions of the accounts limit Applications. */
export const everythingAllowed: AllowedResources = z.array(entry).parse([{ namespaces: 'all', clusterKinds: 'all' }]);
