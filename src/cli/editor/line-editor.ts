import type { Footer } from '../footer.ts'
import { type CompletionSources, commonStart, completeInput } from './complete-input.ts'
import type { InputHistory } from './input-history.ts'
import { createInputRows, type ScreenRows } from './input-rows.ts'
import type { EditorInput } from './key-reader.ts'
import type { EditorKey } from './keys.ts'
import { movedByRows } from './layout.ts'
import { createTypedText, type TypedLine, type TypedText } from './typed-text.ts'

export interface LineEditorOptions {
  /** Puts the input at the bottom of the screen, or removes it. */
  show(footer: Footer | undefined): void
  /** Leaves rows on the screen in place of the input. */
  leave(rows: string): void
  size(): ScreenRows
  isColoured(): boolean
  history: InputHistory
  completion: CompletionSources
}

/** What a key asks of the caller, besides what it does to the text. */
export type EditorAction = 'send' | 'alt-enter' | 'interrupt' | 'suspend' | 'redraw' | 'end'

/** Edits a message of one or more lines at the bottom of the screen. */
export interface LineEditor {
  /** Applies a key or a text; returns what the caller must do. */
  apply(input: EditorInput): EditorAction | undefined
  /** Shows the input, also without text. Answers have no history and no completion. */
  open(label: string, isMessage: boolean): void
  /** Adds text in front of what was typed. */
  addDraft(text: string): void
  text(): string
  /** Draws what has changed. Without text, an input that was not opened is not shown. */
  draw(): void
  /** Removes the input from the screen for a while. */
  hide(): void
  /** Removes the input from the screen, and returns its text. */
  take(): TypedLine
  /** Leaves the input on the screen, and returns its text. */
  send(): TypedLine
}

export const createLineEditor = (options: LineEditorOptions): LineEditor => {
  const { history } = options
  const typed = createTypedText()
  let label = '› '
  let isMessage = true
  let isOpen = false
  let choices: readonly string[] = []
  const rows = createInputRows(
    () => ({ ...typed.buffer(), label, choices }),
    options.size,
    options.isColoured,
  )
  const draw = (): void => options.show(isOpen || typed.buffer().text !== '' ? rows : undefined)

  const take = (): TypedLine => {
    choices = []
    isOpen = false
    history.reset()
    return typed.take()
  }

  const insert = (text: string, isPasted: boolean): void => {
    history.reset()
    typed.insert(text, isPasted)
  }

  const press = (key: EditorKey): EditorAction | undefined => {
    const { text } = typed.buffer()
    if (key === 'enter') return isMessage && continued(typed) ? undefined : 'send'
    if (key === 'end-or-delete' && text === '') return 'end'
    const recalled = isMessage ? history : undefined
    if (key === 'up' || key === 'down') moveByRow(typed, key, rows.width(), recalled)
    else if (key === 'newline') insert('\n', false)
    else if (key === 'tab' && isMessage) void complete(typed, options).then(showChoices)
    else if (isAction(key)) return key
    else if (typed.press(key === 'end-or-delete' ? 'delete' : key)) history.reset()
    return undefined
  }

  const showChoices = (found: readonly string[]): void => {
    choices = found
    draw()
  }

  return {
    apply(input) {
      choices = []
      if (input.kind === 'key') return press(input.key)
      insert(input.text, input.kind === 'paste')
      return undefined
    },
    open(nextLabel, nextIsMessage) {
      label = nextLabel
      isMessage = nextIsMessage
      isOpen = true
      draw()
    },
    addDraft(text) {
      const { text: after, cursor } = typed.buffer()
      typed.set({ text: text + after, cursor: text.length + cursor })
    },
    text: () => typed.buffer().text,
    draw,
    hide: () => options.show(undefined),
    take() {
      const line = take()
      draw()
      return line
    },
    send() {
      const { text } = typed.buffer()
      if (isOpen || text !== '') options.leave(rows.final())
      if (isMessage) remember(history, text)
      return take()
    },
  }
}

const isAction = (key: EditorKey): key is EditorAction & EditorKey =>
  key === 'alt-enter' || key === 'interrupt' || key === 'suspend' || key === 'redraw'

/** A message that begins with a blank is not stored, as in a shell. */
const remember = (history: InputHistory, text: string): void => {
  if (text.trim() !== '' && !text.startsWith(' ')) history.add(text.trim())
}

/** Moves the cursor to the next row; from the first or last row on to another message. */
const moveByRow = (
  typed: TypedText,
  key: 'up' | 'down',
  width: number,
  history: InputHistory | undefined,
): void => {
  const { text } = typed.buffer()
  const cursor = movedByRows(typed.buffer(), width, key === 'up' ? -1 : 1)
  const found = key === 'up' ? () => history?.older(text) : () => history?.newer()
  const next = cursor === undefined ? found() : text
  if (next !== undefined) typed.set({ text: next, cursor: cursor ?? next.length })
}

/** Replaces a backslash at the end by a line break; false when there is none. */
const continued = (typed: TypedText): boolean => {
  const { text, cursor } = typed.buffer()
  if (cursor !== text.length || !/(?<!\\)\\$/.test(text)) return false
  typed.set({ text: `${text.slice(0, -1)}\n`, cursor })
  return true
}

/** Completes the word before the cursor as far as it is certain; returns what is left to choose from. */
const complete = async (
  typed: TypedText,
  { completion }: Pick<LineEditorOptions, 'completion'>,
): Promise<readonly string[]> => {
  const before = typed.buffer()
  const found = await completeInput(before, completion)
  // The person may have typed on.
  if (!found || typed.buffer() !== before) return []
  const { from, choices } = found
  const start = commonStart(choices)
  const rest = before.text.slice(before.cursor)
  const isDone = choices.length === 1 && !start.endsWith('/')
  const word = start + (isDone && !/^\s/.test(rest) ? ' ' : '')
  if (word.length > before.cursor - from || choices.length === 1)
    typed.set({ text: before.text.slice(0, from) + word + rest, cursor: from + word.length })
  return choices.length > 1 ? choices : []
}
