import { gzipSync } from 'node:zlib';

/** A file, folder or symbolic link of an archive. */
export interface TarEntry {
  /** Without a leading slash. A folder ends in a slash. */
  readonly name: string;
  /** The permission bits. */
  readonly mode: number;
  readonly content: Buffer;
  /** The target of a symbolic link. */
  readonly link?: string | undefined;
}

const block = 512;
const types = { file: '0', link: '2', folder: '5' } as const;

export function fileEntry(name: string, content: Uint8Array | string, mode = 0o644): TarEntry {
  return { name, mode, content: Buffer.from(content) };
}

export function linkEntry(name: string, link: string): TarEntry {
  return { name, mode: 0o777, content: Buffer.alloc(0), link };
}

export function folderEntry(name: string, mode = 0o755): TarEntry {
  return { name: `${name}/`, mode, content: Buffer.alloc(0) };
}

/**
 * Returns a tar archive that depends on its entries alone: sorted, with their parent folders, owned by root, from the
 * beginning of 1970.
 */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const parents = entries.flatMap(({ name }) => parentsOf(name)).map((name) => folderEntry(name));
  const byName = new Map([...parents, ...entries].map((entry) => [entry.name, entry]));
  const sorted = [...byName.values()].sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  const written = sorted.flatMap((entry) => [header(entry), entry.content, padding(entry.content.length)]);
  return Buffer.concat([...written, Buffer.alloc(2 * block)]);
}

/** Compresses an archive to the same bytes on every operating system. */
export function gzip(archive: Buffer): Buffer {
  const compressed = gzipSync(archive);
  // The operating system, which zlib notes in the header: unknown.
  compressed[9] = 255;
  return compressed;
}

/** Reads the files, folders and symbolic links of an archive. Other entries, such as long names, are omitted. */
export function readTar(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  for (let at = 0; archive[at] !== undefined && archive[at] !== 0; ) {
    const text = (from: number, length: number): string => {
      const field = archive.subarray(at + from, at + from + length);
      return field.subarray(0, field.indexOf(0) < 0 ? length : field.indexOf(0)).toString();
    };
    const size = Number.parseInt(text(124, 12), 8);
    const content = archive.subarray(at + block, at + block + size);
    const type = text(156, 1) || types.file;
    const name = [text(345, 155), text(0, 100)].filter((part) => part !== '').join('/');
    const entry = { name: name.replace(/^\.\//, ''), mode: Number.parseInt(text(100, 8), 8), content };
    if (type === types.link) entries.push({ ...entry, link: text(157, 100) });
    else if (type === types.file || type === types.folder) entries.push(entry);
    at += block + size + padding(size).length;
  }
  return entries;
}

function parentsOf(name: string): string[] {
  const parts = name.replace(/\/$/, '').split('/').slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
}

function padding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block);
}

function header({ name, mode, content, link }: TarEntry): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long for the name of an entry.`);
  const bytes = Buffer.alloc(block);
  const octal = (value: number, at: number, digits: number): void => {
    bytes.write(`${value.toString(8).padStart(digits, '0')}\0`, at);
  };
  bytes.write(name, 0);
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(content.length, 124, 11);
  octal(0, 136, 11);
  bytes.write(link !== undefined ? types.link : name.endsWith('/') ? types.folder : types.file, 156);
  bytes.write(link ?? '', 157);
  bytes.write('ustar\u000000', 257);
  bytes.fill(' ', 148, 156);
  octal(
    bytes.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  return bytes;
}
