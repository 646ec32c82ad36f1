import { createFooterSlot } from '../footer.ts'
import { openInputHistory } from './input-history.ts'
import { createKeyReader } from './key-reader.ts'
import { createLineEditor } from './line-editor.ts'
import { openRawInput } from './raw-input.ts'
import type { TypedLine } from './typed-text.ts'
import { untilQuiet } from './until-quiet.ts'

/**
 * Asks for one line on stderr, before a session runs. What was typed or pasted before the question is
 * dropped. Resolves with undefined for Ctrl-C, Ctrl-D and a terminal that is gone.
 */
export const askLine = async (label: string): Promise<TypedLine | undefined> => {
  const { stderr } = process
  const { promise, resolve } = Promise.withResolvers<TypedLine | undefined>()
  const reader = createKeyReader()
  const slot = createFooterSlot()
  let isAsking = false
  let lastKeyAt = 0

  const editor = createLineEditor({
    show: (footer) => void stderr.write(slot.change(footer)),
    leave: (rows) => void stderr.write(slot.leave(rows)),
    size: () => ({ rows: stderr.rows || 24, columns: stderr.columns || 80 }),
    isColoured: () => false,
    history: openInputHistory(undefined),
    completion: { directory: undefined, mentions: () => [] },
  })
  const onText = (chunk: string): void => {
    lastKeyAt = performance.now()
    for (const input of reader.push(chunk, { at: lastKeyAt, isGuarded: true })) {
      const isInterrupt = input.kind === 'key' && input.key === 'interrupt'
      const action = isAsking ? editor.apply(input) : undefined
      if (action === 'send') resolve(editor.send())
      if (isInterrupt || action === 'end') resolve(undefined)
    }
    if (isAsking) editor.draw()
  }
  const raw = openRawInput({
    output: stderr,
    onText,
    onEnd: () => resolve(undefined),
    draw: () => (isAsking ? editor.draw() : undefined),
    hide: editor.hide,
  })
  await untilQuiet(() => lastKeyAt, reader.isPasting)
  isAsking = true
  editor.open(label, false)
  const line = await promise
  if (line === undefined) editor.send()
  raw.close()
  return line
}
