import type { Style } from '../../handler/style.ts'
import type { CallPreview } from '../../preview/preview-call.ts'
import { isFields } from '../../shared/fields.ts'
import { type DrawnText, drawLine, drawText } from './drawn-text.ts'
import type { QuestionLine } from './pages.ts'

/** What a request is about, whole, and what to warn about. */
export interface RequestLines {
  lines: readonly QuestionLine[]
  warnings: readonly string[]
}

/** Shows everything that would run: nobody should allow what they cannot read. */
export const requestLines = (preview: CallPreview, style: Style): RequestLines => {
  switch (preview.kind) {
    case 'command':
      return joined(
        preview.cwd === undefined ? nothing : said(`in ${drawLine(preview.cwd, style)}`),
        quoted(drawText(preview.command, style)),
        argumentLines(preview.unshown, style),
      )
    case 'edit':
      return joined(
        said(`${preview.isNewFile ? 'new file' : 'changes'} ${drawLine(preview.path, style)}`),
        preview.realPath === undefined
          ? nothing
          : { lines: [], warnings: [`The path leads to ${drawLine(preview.realPath, style)}.`] },
        ...preview.hunks.map((hunk) => hunkLines(hunk, style)),
        argumentLines(preview.unshown, style),
      )
    case 'arguments':
      return joined(
        preview.note === undefined ? nothing : said(preview.note),
        argumentLines(preview.args, style),
      )
  }
}

/** A text of the agent, line by line. */
export const quoted = ({ lines, warnings }: DrawnText): RequestLines => ({
  lines: lines.map((text) => ({ text, isQuoted: true })),
  warnings,
})

/** The choices, numbered. */
export const choiceLines = (choices: readonly string[], style: Style): RequestLines => {
  const width = String(choices.length).length
  return joined(
    ...choices.map((choice, index) => {
      const { lines, warnings } = drawText(choice, style)
      const text = `${String(index + 1).padStart(width)} ${lines.join(' ')}`
      return { lines: [{ text, isQuoted: false }], warnings }
    }),
  )
}

/** A line of our own. */
export const said = (text: string): RequestLines => ({
  lines: [{ text, isQuoted: false }],
  warnings: [],
})

/** The parts one below the other; each warning once. */
export const joined = (...parts: readonly RequestLines[]): RequestLines => ({
  lines: parts.flatMap(({ lines }) => lines),
  warnings: [...new Set(parts.flatMap(({ warnings }) => warnings))],
})

const nothing: RequestLines = { lines: [], warnings: [] }

/** Every argument under its name, in full. */
const argumentLines = (args: unknown, style: Style): RequestLines => {
  if (args === undefined) return nothing
  if (!isFields(args)) return quoted(drawText(textOf(args), style))
  return joined(
    ...Object.entries(args).map(([name, value]) => {
      const shown = drawText(name, style)
      const head = { lines: [...shown.lines], warnings: shown.warnings }
      const text = drawText(textOf(value), style)
      const [first = '', ...more] = text.lines
      if (more.length > 0) return joined(quoted(withColon(head)), quoted(indented(text)))
      return quoted({
        lines: [`${head.lines.join(' ')}: ${first}`],
        warnings: [...head.warnings, ...text.warnings],
      })
    }),
  )
}

const withColon = ({ lines, warnings }: DrawnText): DrawnText => ({
  lines: [`${lines.join(' ')}:`],
  warnings,
})

const indented = ({ lines, warnings }: DrawnText): DrawnText => ({
  lines: lines.map((line) => `  ${line}`),
  warnings,
})

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 1) ?? '')

type Hunk = Extract<CallPreview, { kind: 'edit' }>['hunks'][number]

const hunkLines = ({ oldStart, newStart, lines }: Hunk, style: Style): RequestLines => {
  const drawn = lines.map((line) => {
    const { lines: rows, warnings } = drawText(line.slice(1), style)
    const sign = line.charAt(0)
    return { lines: [painted(sign, rows.join(' '), style)], warnings }
  })
  const place = style('dim', `line ${newStart === 0 ? oldStart : newStart}`)
  return joined(said(place), ...drawn.map(quoted))
}

const painted = (sign: string, text: string, style: Style): string => {
  if (sign === '+') return `${style('green', '+')} ${text}`
  return sign === '-' ? `${style('red', '-')} ${text}` : `  ${text}`
}
