/** Colours with enough contrast on both grounds; what is lit is so by colour and by a thicker line. */
const light =
  '--page:#fff;--ink:#1d2433;--soft:#5b657a;--line:#7b8699;--fill:#f6f8fb;--edge:#b9c2d0;--event:#0b57d0;--guard:#8a4b00;--action:#3f6f2a';
const dark =
  '--page:#12161f;--ink:#e6eaf2;--soft:#9aa6bb;--line:#8391a8;--fill:#1b212d;--edge:#4a566c;--event:#8ab4ff;--guard:#f0b25c;--action:#9fd08a';

/** The style sheet of every picture. */
export const svgStyle = [
  `svg{${light}}@media(prefers-color-scheme:dark){svg{${dark}}}`,
  'text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink)}',
  '.page{fill:var(--page)}',
  '.box rect{fill:var(--fill);stroke:var(--edge);stroke-width:1.2}.open rect{fill:none}',
  '.region rect{stroke-dasharray:5 4}',
  '.head text{paint-order:stroke;stroke:var(--page);stroke-width:4px;stroke-linejoin:round}',
  'text.name{font-weight:700}text.description{fill:var(--soft)}text.guard{fill:var(--guard)}text.action{fill:var(--action)}',
  'text.event{fill:var(--event);font-weight:600}.label rect{fill:var(--page)}',
  '.line{fill:none;stroke:var(--line);stroke-width:1.3}.tip,.initial{fill:var(--line)}',
].join('');
