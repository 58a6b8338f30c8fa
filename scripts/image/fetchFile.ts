/** `fetchFile.ts URL FILE`: downloads a file. A process of its own, so that its caller can wait for it. */
import { writeFileSync } from 'node:fs';

const [url = '', file = ''] = process.argv.slice(2);
const response = await fetch(url);
if (!response.ok) throw new Error(`${url} is answered ${response.status}`);
writeFileSync(file, await response.bytes());
