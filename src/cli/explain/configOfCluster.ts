import { failed, objectOf, ok, type Result, textOf } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import { apiPath } from '@weeder/kube-runtime/objects';
import type { Config } from '../../config/config.ts';
import { parseConfig } from '../../config/parse.ts';
import { problemOf } from '../configFile.ts';
import { usualNamespace } from '../flags/statusFlags.ts';

/** The config that counts where a fresh install, or one that cannot be read, is explained. */
export interface AssumedConfig {
  readonly text: string;
  /** What counts then, in a clause. */
  readonly inWords: string;
}

interface FoundConfig {
  readonly config: Config;
  /** Which config it is, in a clause without a full stop. */
  readonly remark: string;
}

/** Where deploy/ and the chart put the config by default. */
const configMap = { namespace: usualNamespace, name: 'weeder', key: 'weeder.yaml' } as const;

/** The config that the running weeder is given, if it is in the usual ConfigMap and may be read; or else the assumed one. */
export async function configOfCluster(
  client: Pick<KubeClient, 'call'>,
  assumed: AssumedConfig,
): Promise<Result<FoundConfig>> {
  const { namespace, name, key } = configMap;
  const path = apiPath('v1', 'configmaps', { namespace, name });
  const read = await client.call({ method: 'GET', path, isConfidential: true });
  const text = read.ok ? textOf(objectOf(objectOf(read.body)['data'])[key]) : undefined;
  const place = `the ConfigMap ${namespace}/${name}`;
  const config = parseConfig(text ?? assumed.text, text === undefined ? '' : place);
  if (!config.ok) return failed(problemOf(place, config.error));
  const remark =
    text === undefined
      ? `without --config-file, ${assumed.inWords}, as with the config "${assumed.text}"`
      : `without --config-file, the config is that of ${place}`;
  return ok({ config: config.value, remark });
}
