import type { ApiFailure, FailureType } from './failure.ts';

const hint: Partial<Readonly<Record<FailureType, string>>> = {
  unauthorized:
    'The credentials are wrong or have expired: renew them, or choose others with --kubeconfig or --context.',
  network: 'Check that the address is right, that the API server runs, and that it can be reached from here.',
  timeout: 'The API server or the network on the way to it hangs.',
  badAnswer: 'Is this address a Kubernetes API server?',
  throttled: 'The server limits requests: retry later.',
  rejected: 'This is a bug in weeder, or the server is very old; please report it.',
};

const denial =
  /^(?:\S+ "([^"]+)" is forbidden: )?.*cannot (\w+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)"| at the cluster scope)?/;
/**
 * Newer API servers require a right to impersonate for this single action; the general right to impersonate is enough
 * for them, too.
 */
const impersonation = /cannot impersonate-on:serviceaccount:\S+ resource /;
/** These verbs concern a single object only if its name was in the request; a rule for that name is enough then. */
const collective: ReadonlySet<string> = new Set(['list', 'watch']);

/** The denial of a request in one namespace of the core group, written as the API server writes it. */
export function denialOf(verb: string, plural: string, namespace: string): string {
  return `cannot ${verb} resource "${plural}" in API group "" in the namespace "${namespace}"`;
}

/** One or two sentences for a person: which server, what happened, what to do. */
export function describeFailure(failure: ApiFailure, server: string): string {
  const status = failure.status === undefined ? '' : ` (${failure.status})`;
  return `${subject(failure.type, server)}${status}: ${failure.message.replace(/\.$/, '')}. ${whatToDo(failure)}`.trimEnd();
}

function subject(kind: FailureType, server: string): string {
  if (kind === 'network') return `${server} cannot be reached`;
  if (kind === 'timeout') return `${server} did not answer in time`;
  if (kind === 'badAnswer') return `${server} sent a response that is not from a Kubernetes API server`;
  if (kind === 'credentials') return `There are no credentials for ${server}`;
  if (kind === 'unauthorized') return `${server} does not accept the credentials`;
  return `${server} refused`;
}

function whatToDo(failure: ApiFailure): string {
  if (failure.type === 'forbidden') return grant(failure.message);
  if (failure.reason === 'TLS') return untrusted;
  const budget = failure.causes?.find(({ reason }) => reason === 'DisruptionBudget')?.message;
  if (budget !== undefined) return `${budget.replace(/\.$/, '')}.`;
  return hint[failure.type] ?? '';
}

const untrusted =
  'Check the address, and the certificate authority of the cluster (certificate-authority in the kubeconfig).';

/** The missing rule in the form of a Role, taken from the server's message. */
function grant(message: string): string {
  if (impersonation.test(message)) return grantImpersonation;
  const [, name, verb, resource, group, namespace] = denial.exec(message) ?? [];
  if (verb === undefined || resource === undefined) return '';
  const names = name !== undefined && collective.has(verb) ? `resourceNames: ["${name}"], ` : '';
  const role = namespace === undefined ? 'a ClusterRole' : `a Role in namespace ${namespace}`;
  return `Grant it in ${role}: {apiGroups: ["${group ?? ''}"], resources: ["${resource}"], ${names}verbs: ["${verb}"]}.`;
}

/** The message does not contain whose account it is. */
const grantImpersonation =
  'Grant it in a ClusterRole, or in a Role in the namespace of the account: {apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"]}.';
