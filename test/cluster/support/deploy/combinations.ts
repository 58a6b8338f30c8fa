import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { temporaryFile } from '../weeder.ts';
import { chartFolder, helm } from './helm.ts';
import { type Manifest, manifestsIn } from './kustomize.ts';

/** A template that renders all others once for each of the values, as a list of texts. */
const template = `{{- $root := . -}}
kind: List
texts:
{{- range .Files.Get "combinations.json" | fromJsonArray }}
{{- $context := dict "Values" (mergeOverwrite (deepCopy $root.Values) .) }}
{{- range list "Release" "Chart" "Files" "Capabilities" "Template" }}
{{- $_ := set $context . (index $root .) }}
{{- end }}
{{- $text := "" }}
{{- range $path, $_ := $root.Files.Glob "copies/*.yaml" }}
{{- $text = print $text "\\n---\\n" (include (print $root.Template.BasePath "/" (base $path)) $context) }}
{{- end }}
- {{ toJson $text }}
{{- end }}
`;

/**
 * Renders the chart with each of the values for a release `weeder` in the namespace `weeder`. The same as `template`,
 * but in one process, and without a check by the schema. No value may be null: it would not remove a default.
 */
export async function templateEach(combinations: readonly object[]): Promise<readonly (readonly Manifest[])[]> {
  const chart = temporaryFile('chart');
  const templates = join(chart, 'templates');
  cpSync(chartFolder, chart, { recursive: true });
  // A chart cannot list its own templates.
  cpSync(templates, join(chart, 'copies'), { recursive: true });
  writeFileSync(join(chart, 'combinations.json'), JSON.stringify(combinations));
  writeFileSync(join(templates, 'each.yaml'), template);
  const output = await helm('template', 'weeder', chart, '--namespace=weeder', '--show-only=templates/each.yaml');
  const { texts } = z.object({ texts: z.array(z.string()) }).parse(parse(output));
  return texts.map(manifestsIn);
}
