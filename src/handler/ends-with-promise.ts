/**
 * True if the last non-empty line of a text is the promise and nothing else. In a code block or a
 * quotation it does not count: there, the agent only shows the promise.
 */
export const endsWithPromise = (text: string, promise: string): boolean => {
  const lines = text.split(/\r?\n/)
  const last = lines.findLastIndex((line) => line.trim() !== '')
  const line = lines[last]
  if (line === undefined || line.trim() !== promise.trim()) return false
  const before = lines.slice(0, last)
  return !isIndentedCode(line) && !isInFence(before) && !isInQuotation(before) && !isInTag(before)
}

/** Four spaces or a tab make a code block. */
const isIndentedCode = (line: string): boolean => /^(?: {0,3}\t| {4})/.test(line)

/** Whether a code fence is open after these lines. */
const isInFence = (lines: readonly string[]): boolean => {
  let open: string | undefined
  for (const line of lines) {
    const [, marks = '', rest = ''] = /^[\s>]*(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (marks === '') continue
    if (open === undefined) {
      // Backticks after the marks make it inline code.
      if (!marks.startsWith('`') || !rest.includes('`')) open = marks
    } else if (marks.startsWith(open) && rest.trim() === '') open = undefined
  }
  return open !== undefined
}

/** A line right below a quotation belongs to it, as Markdown reads it. */
const isInQuotation = (lines: readonly string[]): boolean => {
  const paragraph = lines.slice(lines.findLastIndex((line) => line.trim() === '') + 1)
  return paragraph.some((line) => /^\s{0,3}>/.test(line))
}

/** Whether one of these elements is open after the lines. */
const isInTag = (lines: readonly string[]): boolean => {
  const text = lines.join('\n')
  return ['pre', 'code', 'blockquote'].some((tag) => {
    const opened = text.match(new RegExp(`<${tag}[\\s>]`, 'gi'))?.length ?? 0
    return opened > (text.match(new RegExp(`</${tag}\\s*>`, 'gi'))?.length ?? 0)
  })
}
