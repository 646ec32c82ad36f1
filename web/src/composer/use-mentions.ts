import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import type { AgentCommand } from '../../../src/events/types.ts'
import { findMentions, type Mention } from './find-mentions.ts'

/** What the agent offers for the word at the cursor of a field. */
export interface OfferedMentions {
  readonly listId: string
  /** Empty if nothing is offered. */
  readonly choices: readonly Mention[]
  /** The choice that Enter or Tab takes. */
  readonly active: number
  choose(choice: Mention): void
  /** Reads where the cursor of the field is. */
  onCursor(): void
  /** Handles the keys of an open list; false if a key means something else. */
  onKey(event: KeyboardEvent): boolean
}

export const useMentions = (
  field: RefObject<HTMLTextAreaElement | null>,
  commands: readonly AgentCommand[],
  text: string,
  setText: (text: string) => void,
): OfferedMentions => {
  const listId = useId()
  const [cursor, setCursor] = useState(0)
  const [active, setActive] = useState(0)
  /** The text for which the list was closed. */
  const [closedFor, setClosedFor] = useState<string>()
  const nextCursor = useRef<number>(undefined)
  const found = text === closedFor ? undefined : findMentions(text.slice(0, cursor), commands)
  const choices = found?.choices ?? []
  const position = Math.min(active, Math.max(0, choices.length - 1))

  // biome-ignore lint/correctness/useExhaustiveDependencies: the cursor moves once the field has the new text.
  useEffect(() => {
    if (nextCursor.current === undefined) return
    field.current?.setSelectionRange(nextCursor.current, nextCursor.current)
    nextCursor.current = undefined
  }, [text])

  const choose = (choice: Mention) => {
    const start = `${text.slice(0, found?.from)}${choice.text} `
    const after = text.slice(cursor).replace(/^ /, '')
    nextCursor.current = start.length
    setCursor(start.length)
    setActive(0)
    setText(start + after)
    field.current?.focus()
  }

  const onKey = ({ key, shiftKey, altKey, nativeEvent }: KeyboardEvent): boolean => {
    const choice = choices[position]
    if (!choice || altKey || shiftKey || nativeEvent.isComposing) return false
    if (key === 'ArrowDown') setActive((position + 1) % choices.length)
    else if (key === 'ArrowUp') setActive((position + choices.length - 1) % choices.length)
    else if (key === 'Escape') setClosedFor(text)
    else if (key === 'Tab' || key === 'Enter') choose(choice)
    else return false
    return true
  }

  const onCursor = () => {
    const { selectionStart = 0, selectionEnd = 0 } = field.current ?? {}
    // Nothing is offered while a part of the text is selected.
    const next = selectionStart === selectionEnd ? selectionStart : 0
    if (next === cursor) return
    setCursor(next)
    setActive(0)
  }
  return { listId, choices, active: position, choose, onCursor, onKey }
}
