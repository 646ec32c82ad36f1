import type { LineInput, LineInputOptions, LinePurpose } from '../line-input.ts'
import { openInputHistory } from './input-history.ts'
import { createKeyReader } from './key-reader.ts'
import { createLineEditor, type EditorAction, type LineEditor } from './line-editor.ts'
import { openRawInput } from './raw-input.ts'
import type { TypedLine } from './typed-text.ts'
import { untilQuiet } from './until-quiet.ts'

export const promptLabels: Readonly<Record<LinePurpose, string>> = {
  message: '› ',
  answer: 'answer › ',
  page: 'more › ',
}

/** While much is pasted, the screen is drawn so often. */
const drawMs = 50

/** Lines that a person types in a terminal: with a cursor, several rows, history and completion. */
export const createTerminalInput = (options: LineInputOptions): LineInput => {
  const { terminal } = options
  const reader = createKeyReader()
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let isClosed = false
  let purpose: LinePurpose = 'message'
  let lastKeyAt = 0
  let drawnAt = 0

  const editor = editorOn(options)

  const deliver = ({ text, isPasted }: TypedLine, isFollowUp: boolean): void =>
    options.onLine({ text: text.trim(), isPasted, isFollowUp })

  const act = (action: EditorAction): void => {
    if (action === 'send') deliver(editor.send(), false)
    else if (action === 'alt-enter' && options.canQueue()) deliver(editor.send(), true)
    else if (action === 'alt-enter') editor.apply({ kind: 'key', key: 'newline' })
    else if (action === 'interrupt') options.onInterrupt()
    else if (action === 'suspend') raw.suspend()
    else if (action === 'redraw') terminal.clearScreen()
    else close()
  }

  const read = (chunk: string): void => {
    lastKeyAt = performance.now()
    const isGuarded = purpose !== 'message'
    for (const input of reader.push(chunk, { at: lastKeyAt, isGuarded })) {
      if (isClosed) return
      const action = editor.apply(input)
      if (action !== undefined) act(action)
      else if (purpose === 'page' && input.kind === 'text' && /^[ d]$/i.test(editor.text()))
        deliver(editor.take(), false)
    }
    if (isClosed || (reader.isPasting() && lastKeyAt - drawnAt < drawMs)) return
    drawnAt = lastKeyAt
    editor.draw()
  }

  const close = (): void => {
    if (isClosed) return
    isClosed = true
    editor.send()
    raw.close()
    resolve()
  }

  const raw = openRawInput({
    output: process.stdout,
    onText: read,
    onEnd: close,
    draw: editor.draw,
    hide: editor.hide,
  })

  return {
    isTerminal: true,
    closed,
    prompt(next, draft = '') {
      purpose = next
      if (isClosed) return false
      editor.addDraft(draft)
      editor.open(promptLabels[next], next === 'message')
      return false
    },
    takeDraft: () => (isClosed ? '' : editor.take().text),
    quiet: () =>
      untilQuiet(
        () => lastKeyAt,
        () => !isClosed && reader.isPasting(),
      ),
    close,
  }
}

const editorOn = ({ terminal, historyFile, completion }: LineInputOptions): LineEditor =>
  createLineEditor({
    show: terminal.setFooter,
    leave: terminal.leaveFooter,
    size: () => terminal.size() ?? { rows: 24, columns: 80 },
    isColoured: terminal.colour,
    history: openInputHistory(historyFile),
    completion,
  })
