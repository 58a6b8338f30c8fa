import type { TarEntry } from './tar.ts';
import { readTar } from './tar.ts';
import { decompressXz } from './xz.ts';

/** The description and the files of a Debian package. */
export interface Unpacked {
  readonly control: Buffer;
  readonly files: readonly TarEntry[];
}

/** Unpacks a package: an archive of `ar` with two archives of tar. */
export function readDeb(archive: Buffer): Unpacked {
  const members = readAr(archive);
  const open = (name: string): TarEntry[] => {
    const packed = members.get(`${name}.tar.xz`);
    if (packed === undefined) throw new Error(`The package has no ${name}.tar.xz.`);
    return readTar(decompressXz(packed));
  };
  const control = open('control').find(({ name }) => name === 'control');
  if (control === undefined) throw new Error('The package has no control file.');
  return { control: control.content, files: open('data') };
}

const [headSize, magic] = [60, '!<arch>\n'];

/** The files of an archive, by their names. */
function readAr(archive: Buffer): ReadonlyMap<string, Buffer> {
  if (archive.subarray(0, magic.length).toString() !== magic) throw new Error('This is no package of Debian.');
  const members = new Map<string, Buffer>();
  for (let at = magic.length; at < archive.length; ) {
    const head = archive.subarray(at, at + headSize).toString();
    const size = Number(head.slice(48, 58));
    const name = head.slice(0, 16).trim().replace(/\/$/, '');
    members.set(name, archive.subarray(at + headSize, at + headSize + size));
    at += headSize + size + (size % 2);
  }
  return members;
}
