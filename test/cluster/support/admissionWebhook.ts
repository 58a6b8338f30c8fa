import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { selfSigned } from '../../../src/telemetry/certificate.ts';
import { cleanUp } from './cleanup.ts';
import { eventually } from './eventually.ts';
import type { TestNamespace } from './namespace.ts';
import { freePorts } from './plane/ports.ts';
import { setSlice } from './services.ts';

/** A webhook that admits each pod of its namespace, or of those that are added, as long as it runs. */
export type AdmissionWebhook = Awaited<ReturnType<typeof createWebhook>>;

interface WebhookOptions {
  /** Default `Fail`. */
  readonly failurePolicy?: 'Fail' | 'Ignore';
}

/**
 * Creates a webhook that is down. No pods and no proxy run: the API server reaches its server by a Service of type
 * ExternalName, and the test writes the EndpointSlice.
 */
export async function createWebhook(ns: TestNamespace, options: WebhookOptions = {}) {
  const { failurePolicy = 'Fail' } = options;
  const [port = 0] = await freePorts(1);
  const service = 'webhook';
  const name = `pods.${ns.name}.example.com`;
  const { cert, key } = selfSigned(new Date(), `${service}.${ns.name}.svc`);
  const server = createServer({ cert, key }, async (request, response) => {
    const review: { readonly request?: { readonly uid?: string } } = JSON.parse(await text(request));
    const answer = { uid: review.request?.uid, allowed: true };
    const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });

  async function listen(): Promise<void> {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  }

  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  cleanUp(ns, close);
  const { cluster } = ns;
  await cluster.api('POST', ns.path('api/v1', 'services'), {
    metadata: { name: service },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  await setSlice(ns, service, { ready: [false] });
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  await cluster.api('POST', path, {
    metadata: { name: ns.name },
    webhooks: [
      {
        name,
        failurePolicy,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 5,
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns.name } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
        clientConfig: {
          service: { namespace: ns.name, name: service, port, path: '/' },
          caBundle: Buffer.from(cert).toString('base64'),
        },
      },
    ],
  });
  cleanUp(ns, () => cluster.send('DELETE', `${path}/${ns.name}`));
  if (failurePolicy === 'Fail') await refusing(ns);

  return {
    /** As messages name it. */
    name,
    service,
    /** The server listens. */
    listen,
    /** The server listens, and then the EndpointSlice of the service says so. */
    async recover() {
      await listen();
      await setSlice(ns, service, { ready: [true] });
    },
    /** Closes the server, and then the EndpointSlice of the service says so. */
    async fail() {
      await close();
      await setSlice(ns, service, { ready: [false] });
    },
  };
}

/** Waits until the API server calls the webhook: it learns about the configuration by a watch. */
async function refusing(ns: TestNamespace): Promise<void> {
  const pod = { metadata: { name: 'probe' }, spec: { containers: [{ name: 'main', image: 'registry.example/none' }] } };
  await eventually(
    async (saw) => {
      const answer = await ns.cluster.send('POST', `${ns.path('api/v1', 'pods')}?dryRun=All`, { body: pod });
      saw(answer.body);
      return JSON.stringify(answer.body).includes('failed calling webhook') ? true : undefined;
    },
    { what: 'the webhook is called' },
  );
}
