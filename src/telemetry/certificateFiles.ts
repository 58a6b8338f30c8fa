import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Clock } from '@weeder/kube-runtime/base';
import { failed, messageOf, ok, type Result } from '@weeder/kube-runtime/base';
import { codedError } from '../base/errors.ts';
import type { TlsFiles } from '../base/listen.ts';
import type { Logger } from '../base/log.ts';
import { watchContent } from '../config/watchContent.ts';

/** The values of the flags. */
interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface CertificateOptions {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/** The kubelet updates a mounted Secret within a minute or two, days before the old certificate expires. Milliseconds. */
const pollInterval = 60_000;
/** Two files that are being written fit together after this time. Milliseconds. */
const brokenAfter = 5_000;

/** Reads a certificate and its key. A pair that does not fit together is an error. */
export async function readCertificate({ certFile, keyFile }: CertificateFiles): Promise<Result<TlsFiles>> {
  try {
    const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
    createSecureContext({ cert, key });
    return ok({ cert, key });
  } catch (error) {
    return failed(codedError('USAGE', `The certificate of --metrics-tls-cert cannot be used: ${messageOf(error)}.`));
  }
}

/**
 * Calls `use` with each new pair, such as one that cert-manager has renewed. A pair that cannot be used is logged, and
 * the previous one stays in use. Returns the function that stops it.
 */
export function watchCertificate(
  files: CertificateFiles,
  current: TlsFiles,
  { clock, logger }: CertificateOptions,
  use: (next: TlsFiles) => void,
): () => void {
  const { certFile: file } = files;
  return watchContent<Result<TlsFiles>>({
    clock,
    read: () => readCertificate(files),
    keyOf: (read) => (read.ok ? `pair ${read.value.cert} ${read.value.key}` : `error ${read.error.message}`),
    settleTime: (read) => (read.ok ? 0 : brokenAfter),
    pollInterval,
    known: ok(current),
    onChange(read) {
      if (!read.ok) {
        logger.error({ file, cause: read.error.message }, 'new certificate rejected, the previous one stays in use');
        return;
      }
      use(read.value);
      const expires = new X509Certificate(read.value.cert).validToDate.toISOString();
      logger.info({ file, expires }, 'the new certificate is in use');
    },
  }).stop;
}
