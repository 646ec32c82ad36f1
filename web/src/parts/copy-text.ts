/**
 * Copies a text to the clipboard. On plain HTTP, browsers offer no clipboard to a page, but still copy
 * what is selected.
 */
export const copyText = async (text: string): Promise<void> => {
  // The types say that there always is one.
  const clipboard: Clipboard | undefined = navigator.clipboard
  if (clipboard) return clipboard.writeText(text)
  if (!copySelected(text)) throw new Error('The browser did not allow it.')
}

const copySelected = (text: string): boolean => {
  const focused = document.activeElement
  // A modal dialog makes everything outside it inert, and that cannot be selected.
  const parent = document.querySelector('dialog[open]') ?? document.body
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'visually-hidden'
  parent.append(field)
  field.select()
  field.setSelectionRange(0, text.length)
  try {
    return document.execCommand('copy')
  } finally {
    field.remove()
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  }
}
