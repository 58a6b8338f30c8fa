/**
 * The output of a demo on a terminal as an animated SVG: its lines appear one after the other, as they did, but each
 * pause is shortened. Where nothing moves, because the reader or the viewer does not want or know it, all lines are
 * there. Each element has the light colour as an attribute, because librsvg knows no media queries.
 */
export function terminalPicture(command: string, output: string): string {
  const lines = [`$ ${command}`, '', ...output.trimEnd().split('\n')];
  const times = timesOf(lines.map(plain));
  const end = (times.at(-1) ?? 0) + reading;
  const columns = Math.max(...lines.map((line) => plain(line).length));
  const [width, height] = [Math.ceil(columns * advance) + 2 * margin, lines.length * lineHeight + 2 * margin];
  const steps = [...Map.groupBy(lines.keys(), (index) => times[index] ?? 0)];
  const groups = steps.map(([, indexes], step) => {
    const texts = indexes.map((index) => textOf(lines[index] ?? '', margin + (index + 0.75) * lineHeight));
    return `<g class="step" id="step-${step}">\n${texts.filter((text) => text !== '').join('\n')}\n</g>`;
  });
  const keyframes = steps.map(([time], step) => {
    const from = Number(((100 * time) / end).toFixed(2));
    return `@keyframes step-${step}{0%{opacity:0}${from}%,to{opacity:1}}#step-${step}{animation-name:step-${step}}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${command} in a terminal" ${font} fill="${light.plain}">`,
    `<style>${darkRules}${movement(end, keyframes)}</style>`,
    `<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${light.page}" stroke="${light.edge}"/>`,
    ...groups,
    '</svg>\n',
  ].join('\n');
}

const font = `font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14"`;
/** The widest of these fonts; pixels. */
const advance = 14 * 0.61;
const [lineHeight, margin] = [20, 20];

/** The colours of the live page. */
const light = { page: '#fff', edge: '#b9c2d0', plain: '#1d2433', bad: '#b3261e', good: '#3f6f2a', action: '#0b57d0' };
const dark: typeof light = {
  page: '#12161f',
  edge: '#4a566c',
  plain: '#e6eaf2',
  bad: '#ff8f86',
  good: '#9fd08a',
  action: '#8ab4ff',
};
type Colour = 'bad' | 'good' | 'action';
/** By the codes of a terminal. */
const colours: Readonly<Record<string, Colour>> = { 31: 'bad', 32: 'good', 36: 'action' };
const bold = '1';

const darkRules = `@media(prefers-color-scheme:dark){svg{fill:${dark.plain}}.page{fill:${dark.page};stroke:${dark.edge}}${Object.values(
  colours,
)
  .map((colour) => `.${colour}{fill:${dark[colour]}}`)
  .join('')}}`;

function movement(end: number, keyframes: readonly string[]): string {
  const all = `.step{animation-duration:${end.toFixed(2)}s;animation-timing-function:step-end;animation-iteration-count:infinite}`;
  return `@media(prefers-reduced-motion:no-preference){${all}${keyframes.join('')}}`;
}

/** For the introduction, between the outcome and the end, and of each pause of the demo at least and at most; seconds. */
const [introduction, reading] = [0.8, 7];
const [shortest, longest, faster] = [0.25, 1.6, 12];

/** When each line appears. Those of the timeline have a time, those after it are the outcome. Seconds. */
function timesOf(lines: readonly string[]): number[] {
  let [now, before] = [0, Number.NaN];
  const isLast = lines.findLastIndex((line) => timeOf(line) !== undefined);
  return lines.map((line, index) => {
    const time = timeOf(line);
    if (time !== undefined) {
      const pause = Number.isNaN(before) ? introduction : (time - before) / faster;
      now += Math.min(longest, Math.max(shortest, pause));
      before = time;
    } else if (index === isLast + 1) now += longest;
    return now;
  });
}

/** The seconds with which a line of the timeline begins. */
function timeOf(line: string): number | undefined {
  const text = /^t= *([\d.]+)s/.exec(line)?.[1];
  return text === undefined ? undefined : Number(text);
}

const control = '\u001B';

function plain(line: string): string {
  return line.replaceAll(new RegExp(`${control}\\[\\d*m`, 'g'), '');
}

/** A line with its colours, which begin with a code of the terminal and end with another. */
function textOf(line: string, y: number): string {
  if (line === '') return '';
  const [first = '', ...rest] = line.split(`${control}[`);
  const pieces = rest.map((piece) => {
    const [code = '', ...texts] = piece.split('m');
    const text = inXml(texts.join('m'));
    const colour = colours[code];
    if (text === '') return '';
    if (code === bold) return `<tspan font-weight="bold">${text}</tspan>`;
    return colour === undefined ? text : `<tspan class="${colour}" fill="${light[colour]}">${text}</tspan>`;
  });
  return `<text x="${margin}" y="${y}" xml:space="preserve">${inXml(first)}${pieces.join('')}</text>`;
}

function inXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
