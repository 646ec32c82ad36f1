import { type KeyboardEvent, useRef } from 'react'
import { useApp } from '../app/use-app.ts'

/** Up and down go through what was said before, from an empty field or one that shows it. */
export const usePromptHistory = (text: string, write: (text: string) => void) => {
  const { drafts } = useApp()
  const place = useRef(-1)
  return (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
    if (by === 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const said = drafts.history()
    if (text === '') place.current = -1
    else if (said[place.current] !== text) return
    const next = place.current + by
    if (next < -1 || next >= said.length) return
    event.preventDefault()
    place.current = next
    write(said[next] ?? '')
  }
}
