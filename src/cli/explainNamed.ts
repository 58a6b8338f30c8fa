import { type CodedError, failed, objectOf, ok, type Result, systemClock } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import { type ApiFailure, describeFailure, dryRunClient, isUnservedPath } from '@weeder/kube-runtime/client';
import { codedError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { type AllowedResources, everythingAllowed } from '../config/schema/allowedResources.ts';
import { defaultObserver, type ObserverConfig } from '../config/schema/observer.ts';
import { explainApplication } from '../explain/explainApplication.ts';
import { applicationTexts } from '../explain/explainedApplication.ts';
import { type InspectedApplication, inspectApplication } from '../explain/inspectApplication.ts';
import { resourceRequests } from '../observer/apply/resourceRequests.ts';
import { restMapperOf } from '../observer/kinds/restMapper.ts';
import { readApplication } from '../observer/spec/readApplication.ts';
import { applicationApi, applicationsPath } from '../observer/status/applicationApi.ts';
import { createOwnershipClaims } from '../observer/streams/ownershipClaims.ts';
import { loadConfig } from './configFile.ts';
import { connect, interactive } from './connect.ts';
import { namespaceOf } from './contextNamespace.ts';
import { printData } from './data/printData.ts';
import { explainedKinds } from './flags/kindNames.ts';
import type { OutputFlag } from './flags/outputFlag.ts';
import type { ReadFlags } from './flags/readFlags.ts';
import { exitCodes, fail, print } from './output.ts';

/** The time limit for all requests together. */
const patience = 60_000;

type NamedFlags = ReadFlags & OutputFlag & { readonly configFile?: string };

/** The arguments of `weeder explain` without its flags: `application shop`, `pod web-0`. */
interface ExplainWords {
  readonly what: string;
  readonly name: string | undefined;
}

/**
 * `weeder explain pod|service|workload NAME`, and `weeder explain application NAME`: its conditions, its errors, and
 * the desired and the actual state of each resource. Nothing is changed: manifests are only sent as dry runs.
 */
export async function explainNamed(words: ExplainWords, flags: NamedFlags): Promise<number> {
  const wrong = wrongWords(words);
  if (wrong !== undefined) return fail(wrong);
  const namespace = namespaceOf(flags);
  if (!namespace.ok) return fail(namespace.error);
  const ofObject = await loadNamed(words.what);
  if (ofObject !== undefined) return ofObject(namespace.value, words.name ?? '', flags);
  const config = await observerConfigOf(flags.configFile);
  if (!config.ok) return fail(config.error);
  const client = await connect({ ...flags, ...interactive }, systemClock);
  if (!client.ok) return fail(client.error);
  const seen = await inspect(dryRunClient(client.value), config.value.allow, namespace.value, words.name ?? '');
  await client.value.close();
  if (!seen.ok) return fail(seen.error);
  const explained = explainApplication(seen.value, Date.now(), config.value.maintenanceWindows);
  if (flags.output === undefined) print(applicationTexts(explained).join('\n\n'));
  else printData('ApplicationExplanation', explained, flags.output);
  return exitCodes.ok;
}

/** Undefined: the object is an Application. */
async function loadNamed(what: string) {
  if (what === 'pod') {
    const { explainPodNamed } = await import('./explain/podNamed.ts');
    return explainPodNamed;
  }
  if (what === 'service') {
    const { explainServiceNamed } = await import('./explain/serviceNamed.ts');
    return explainServiceNamed;
  }
  if (what !== 'workload') return undefined;
  const { explainWorkloadNamed } = await import('./explain/workloadNamed.ts');
  return explainWorkloadNamed;
}

function wrongWords({ what, name }: ExplainWords): CodedError | undefined {
  if (!explainedKinds.some((kind) => kind === what)) {
    const meant = nearest(what, explainedKinds);
    const instead = `: give ${explainedKinds.join(', ')} and a name, or the config with --config-file.`;
    const hint = meant === undefined ? instead : `; did you mean ${meant}?`;
    return codedError('USAGE', `weeder explain does not accept the argument ${what}${hint}`);
  }
  return name === undefined || name === '' ? codedError('USAGE', `weeder explain ${what} needs NAME.`) : undefined;
}

/** Without a config the allowed resources are unknown: the condition `Invalid` reports violations. */
async function observerConfigOf(configFile: string | undefined): Promise<Result<ObserverConfig>> {
  if (configFile === undefined) return ok({ ...defaultObserver, allow: everythingAllowed });
  const config = await loadConfig('explain', configFile);
  return config.ok ? ok(config.value.observer ?? defaultObserver) : config;
}

async function inspect(
  client: KubeClient,
  allow: AllowedResources,
  namespace: string,
  name: string,
): Promise<Result<InspectedApplication>> {
  const signal = AbortSignal.timeout(patience);
  const path = applicationsPath(namespace, name);
  const read = await client.call({ method: 'GET', path, isConfidential: true, signal });
  if (!read.ok && isMissing(read.failure)) return failed(await absent(client, namespace, name));
  if (!read.ok) {
    const why = describeFailure(read.failure, client.server);
    return failed(codedError('CLUSTER_UNREACHABLE', `Cannot read the application ${namespace}/${name}:`, why));
  }
  const application = readApplication(read.body);
  if (application === undefined)
    return failed(codedError('CLUSTER_NOT_KUBERNETES', `The object at ${path} is not an Application.`));
  const applications = applicationApi(client);
  const claims = createOwnershipClaims({ applications, isKnown: () => false, seesAll: false });
  const api = resourceRequests(client);
  const inspection = { clock: systemClock, kinds: restMapperOf(client, systemClock), api, allow, claims, signal };
  return ok(await inspectApplication(application, objectOf(read.body)['status'], inspection));
}

/** Without the CRD, the API server answers by a page that is no Status. */
function isMissing(failure: ApiFailure): boolean {
  return failure.type === 'notFound' || isUnservedPath(failure);
}

/** The error for an Application that does not exist, or a cluster without the CRD. */
async function absent(client: KubeClient, namespace: string, name: string): Promise<CodedError> {
  const applications = await client.call({ method: 'GET', path: applicationsPath(namespace), query: { limit: 1 } });
  const isKnown = applications.ok || !isMissing(applications.failure);
  return isKnown
    ? codedError('APPLICATION_NOT_FOUND', `There is no application ${name} in the namespace ${namespace}.`)
    : codedError('APPLICATION_NOT_FOUND', 'The cluster does not have the kind Application of weeder.dev.', crdHint);
}

const crdHint = 'Install it from deploy/.';
