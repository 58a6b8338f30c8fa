import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const folder = new URL('../../docs/adr/', import.meta.url);
const files = globSync('[0-9]*.md', { cwd: fileURLToPath(folder) }).sort();
const record = /^# (?<number>\d+)\. (?<title>.+)\n\n- Status: (?<status>.+)\n- Date: (?<date>\d{4}-\d\d-\d\d)\n\n## /;

function headings(text: string): string[] {
  return [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading ?? '');
}

test('each decision record has a title, a status, a date and its sections, and is in the index with a summary', () => {
  const index = readFileSync(new URL('README.md', folder), 'utf8').split('\n');
  assert.ok(files.length > 20);
  const rows = index.filter((line) => /^\| \d/.test(line));
  assert.deepEqual(
    rows.map((row) => row.slice(0, row.lastIndexOf(' | '))),
    files.map((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8');
      const { number, title, status, date } = record.exec(text)?.groups ?? {};
      assert.ok(title !== undefined, `${file} does not begin with a title, a status and a date`);
      assert.equal(Number(file.slice(0, 4)), Number(number));
      assert.deepEqual(headings(text).slice(0, 3), ['Context', 'Decision', 'Consequences'], file);
      return `| ${number} | [${title}](${file}) | ${status} | ${date}`;
    }),
  );
  assert.deepEqual(
    rows.filter((row) => !/ \| [^|]+\. \|$/.test(row)),
    [],
  );
});
