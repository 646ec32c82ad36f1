import { type KeyboardEvent, useRef } from 'react'
import { useApp } from '../app/use-app.ts'

/** The up and down keys recall earlier messages, if the field is empty or shows one of them. */
export const usePromptHistory = (text: string, setText: (text: string) => void) => {
  const { drafts } = useApp()
  /** Which of the earlier messages the field shows, newest first; -1 for none. */
  const position = useRef(-1)
  return (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
    if (by === 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const history = drafts.history()
    if (text === '') position.current = -1
    else if (history[position.current] !== text) return
    const next = position.current + by
    if (next < -1 || next >= history.length) return
    event.preventDefault()
    position.current = next
    setText(history[next] ?? '')
  }
}
