import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { failed, ok, type Result } from '@weeder/kube-runtime/base';
import { codedError } from '../base/errors.ts';
import type { Certificate, TlsFiles } from '../base/listen.ts';
import { type CertificateOptions, readCertificate, watchCertificate } from './certificateFiles.ts';

/** The process may run for longer than any certificate of an authority would be valid. */
const validYears = 10;

/** The certificate of these files, and of their later contents. Without files, makes one. */
export async function certificateOf(
  certFile: string | undefined,
  keyFile: string | undefined,
  options: CertificateOptions,
): Promise<Result<Certificate>> {
  if (certFile === undefined && keyFile === undefined) {
    const current = selfSigned(new Date(options.clock.now()));
    return ok({ current, follow: () => () => undefined });
  }
  if (certFile === undefined || keyFile === undefined)
    return failed(codedError('USAGE', 'The flags --metrics-tls-cert and --metrics-tls-key need each other.'));
  const files = { certFile, keyFile };
  const read = await readCertificate(files);
  if (!read.ok) return read;
  const current = read.value;
  return ok({ current, follow: (use) => watchCertificate(files, current, options, use) });
}

/**
 * Returns a new self-signed certificate for this name, with a key that never leaves the process. Clients cannot verify
 * it, unless they are given it: it only encrypts. Node has no function for this, and the structure (RFC 5280, in DER) is small.
 */
export function selfSigned(now: Date, host = 'weeder'): TlsFiles {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const until = new Date(now);
  until.setUTCFullYear(now.getUTCFullYear() + validYears);
  const name = sequence(set(sequence(commonName, text('weeder'))));
  const serial = Buffer.concat([Buffer.of(1), randomBytes(15)]);
  const content = sequence(
    der(0xa0, integer(Buffer.of(2))),
    integer(serial),
    algorithm,
    name,
    sequence(time(now), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(alternativeNames, der(0x04, sequence(der(0x82, Buffer.from(host))))))),
  );
  const signature = der(0x03, Buffer.of(0), sign('sha256', content, privateKey));
  return {
    cert: pem(sequence(content, algorithm, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}

/** One element of DER: the tag, the length of the parts, and the parts. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const bytes = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...bytes), content]);
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const set = (...parts: readonly Buffer[]) => der(0x31, ...parts);
const integer = (bytes: Buffer) => der(0x02, bytes);
const text = (words: string) => der(0x0c, Buffer.from(words));
const identifier = (...bytes: readonly number[]) => der(0x06, Buffer.from(bytes));

/** ecdsa-with-SHA256 */
const algorithm = sequence(identifier(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const commonName = identifier(0x55, 0x04, 0x03);
const alternativeNames = identifier(0x55, 0x1d, 0x11);

/** A GeneralizedTime: `20261124100000Z`. RFC 5280 asks for the shorter form until 2049, and OpenSSL reads both. */
function time(at: Date): Buffer {
  return der(0x18, Buffer.from(at.toISOString().replace(/[-:T]|\.\d+/g, '')));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
