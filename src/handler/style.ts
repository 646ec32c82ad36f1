const codes = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const

export type StyleName = keyof typeof codes
export type Style = (name: StyleName, text: string) => string

/** A style that adds terminal escape codes, or returns the plain text. */
export const createStyle = (isColoured: boolean): Style => {
  if (!isColoured) return (_, text) => text
  return (name, text) => {
    const [on, off] = codes[name]
    return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`
  }
}
