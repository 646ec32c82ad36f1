/** Cleans pasted text that arrives in pieces. */
export interface PasteText {
  /** The clean text of a piece. What may go on in the next piece is held back. */
  push(piece: string): string
  /** What was held back. */
  end(): string
}

/**
 * Line breaks become LF. Escape sequences, such as the colours of a copied log, and control characters
 * other than LF and tabs are left out: neither a person nor an agent can read them.
 */
export const createPasteText = (): PasteText => {
  let held = ''
  return {
    push(piece) {
      const text = held + piece
      held = unfinished.exec(text)?.[0] ?? ''
      return cleaned(text.slice(0, text.length - held.length))
    },
    end() {
      const text = cleaned(held)
      held = ''
      return text
    },
  }
}

const csi = String.raw`\x1b\[[\x30-\x3f]*[\x20-\x2f]*`
const unfinished = new RegExp(String.raw`(?:\r|\x1b|${csi})$`)
const title = String.raw`\x1b\][^\x00-\x1f]{0,4096}(?:\x07|\x1b\\)`
const sequences = new RegExp(String.raw`${csi}[\x40-\x7e]|${title}`, 'g')
const controls = /(?![\n\t])\p{Cc}/gu

const cleaned = (text: string): string =>
  text.replaceAll(sequences, '').replaceAll(/\r\n?/g, '\n').replaceAll(controls, '')
