/** The text in lines of at most this width, each with an indent. A longer word stays whole. */
export const wrapText = (text: string, width: number, indent = ''): string => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && indent.length + longer.length > width) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line].map((each) => `${indent}${each}`).join('\n')
}
