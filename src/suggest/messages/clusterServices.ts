import type { Confidence, Evidence } from '../../dependencies/dependency.ts';
import type { Observed, ObservedService } from '../observed.ts';
import { createServiceNames } from '../serviceNames.ts';
import { dnsFailuresIn } from './dnsFailures.ts';
import type { FailingPod, LastMessage } from './failingPods.ts';
import { type RequestFailure, requestFailuresIn } from './requestFailures.ts';

/** A cluster service that a message names, or means. */
export interface NamedClusterService {
  readonly service: ObservedService;
  readonly evidence: Evidence;
}

/** Finds the cluster services whose failure a message of a pod reports: DNS, webhooks, registries, CSI drivers. */
export function createClusterServices({
  services,
}: Observed): (pod: FailingPod, message: LastMessage) => NamedClusterService[] {
  const names = createServiceNames(services);
  const byAddress = new Map(services.flatMap((service) => [...service.addresses].map((each) => [each, service])));

  function dnsOf(server: string | undefined, pod: FailingPod, of: LastMessage['of']): ObservedService | undefined {
    if (server !== undefined) return byAddress.get(server);
    // The host, whose DNS servers are not known, pulls images.
    return pod.usesClusterDns && of === 'run' ? names.find('kube-dns', 'kube-system')?.service : undefined;
  }

  function serviceOf({ to, host }: RequestFailure, namespace: string): ObservedService | undefined {
    const named = names.find(host, namespace);
    // Neither the API server nor a host resolves short names of Services: another host has this name.
    return byAddress.get(host) ?? (named?.form === 'qualified' || to === 'CSI driver' ? named?.service : undefined);
  }

  return (pod, { where, of, text }) => {
    const named = (service: ObservedService | undefined, confidence: Confidence, found: string, what: string) =>
      service === undefined ? [] : [{ service, evidence: { confidence, where, found, because: `the ${what} failed` } }];
    const ofDns = dnsFailuresIn(text).flatMap(({ server, isAnswer, found }) => {
      const service = dnsOf(server, pod, of);
      if (service?.ports.has(dnsPort) !== true) return [];
      return named(service, server === undefined || isAnswer ? 'medium' : 'high', found, 'DNS server');
    });
    const ofRequests = requestFailuresIn(text, of).flatMap((failure) => {
      const service = serviceOf(failure, pod.namespace);
      return named(service, service?.ports.has(failure.port) === true ? 'high' : 'medium', failure.found, failure.to);
    });
    return [...ofDns, ...ofRequests];
  };
}

const dnsPort = 53;
