/** JSON with line breaks only where a value does not fit on one line. */
export const readableJson = (value: unknown, width = 90, indent = ''): string => {
  const flat = oneLine(value)
  if (typeof value !== 'object' || value === null || indent.length + flat.length <= width)
    return flat
  const deeper = `${indent}  `
  const inner = Array.isArray(value)
    ? value.map((item) => readableJson(item, width, deeper))
    : Object.entries(value).map(
        ([key, item]) => `${JSON.stringify(key)}: ${readableJson(item, width, deeper)}`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${inner.map((line) => deeper + line).join(',\n')}\n${indent}${close}`
}

const oneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`,
  )
  return inner.length === 0 ? '{}' : `{ ${inner.join(', ')} }`
}

/** A JSON value as a fenced block. */
export const fence = (value: unknown): string => `\`\`\`json\n${readableJson(value)}\n\`\`\``

/** Code inside a line or a table cell. */
export const code = (text: string): string => {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length))
  const ticks = '`'.repeat(longest + 1)
  return longest === 0 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`
}

/** A link to the heading of this name. */
export const link = (name: string): string => `[${code(name)}](#${name.toLowerCase()})`

/** A table without the columns that are empty in every row. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const isUsed = head.map((_, at) => rows.some((row) => row[at]))
  const line = (cells: readonly string[]) =>
    `| ${cells
      .filter((_, at) => isUsed[at])
      .map(cell)
      .join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A bar ends a cell, even inside code. */
const cell = (text: string) => text.replaceAll('|', '\\|')
