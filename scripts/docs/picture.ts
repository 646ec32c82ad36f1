import type { AgentEvent } from '../../src/events/types.ts'
import {
  consoleHandler,
  createStreamOutput,
  createStyle,
  handlerSink,
} from '../../src/handler/index.ts'

const colours: Readonly<Record<number, string>> = {
  31: '#f47067',
  32: '#57ab5a',
  33: '#c69026',
  34: '#539bf5',
  36: '#39c5cf',
}
const lineHeight = 20
const charWidth = 8.4
const margin = 18
const columns = 78

/** The terminal output of a run as an SVG: the picture in the README. */
export const picture = (command: string, events: readonly AgentEvent[]): string => {
  const lines = [`\u001b[2m$\u001b[22m ${command}`, ...terminalLines(events)]
  const width = Math.round(columns * charWidth + 2 * margin)
  const height = lines.length * lineHeight + 2 * margin
  const rows = lines.map((line, index) => {
    const y = margin + (index + 1) * lineHeight - 6
    return `  <text x="${margin}" y="${y}" xml:space="preserve">${spans(line)}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A run in the terminal">`,
    `  <rect width="100%" height="100%" rx="8" fill="#1c2128"/>`,
    '  <g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14" fill="#d1d7e0">',
    ...rows,
    '  </g>',
    '</svg>',
    '',
  ].join('\n')
}

const terminalLines = (events: readonly AgentEvent[]): string[] => {
  let text = ''
  const write = (piece: string) => {
    text += piece
  }
  let clock = 0
  const handler = consoleHandler({ write, style: createStyle(true) })
  const output = createStreamOutput(handlerSink(handler), () => clock)
  for (const event of events) output.push(event)
  clock = 8_400
  output.end()
  return text.trimEnd().split('\n')
}

/** One line with escape codes as coloured spans. */
const spans = (line: string): string => {
  let fill = ''
  let weight = ''
  let opacity = ''
  return line
    .split('\u001b[')
    .map((part, index) => {
      const [code, text] = index === 0 ? ['', part] : cutCode(part)
      const value = Number(code)
      if (code !== '') {
        if (value === 1) weight = ' font-weight="bold"'
        else if (value === 2) opacity = ' fill-opacity="0.62"'
        else if (value === 22) {
          weight = ''
          opacity = ''
        } else if (value === 39) fill = ''
        else if (colours[value]) fill = ` fill="${colours[value]}"`
      }
      return text === '' ? '' : `<tspan${fill}${weight}${opacity}>${escapeXml(text)}</tspan>`
    })
    .join('')
}

const cutCode = (part: string): [code: string, text: string] => {
  const end = part.indexOf('m')
  return [part.slice(0, end), part.slice(end + 1)]
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
