import { type RefObject, useEffect } from 'react'
import { isTyping } from '../parts/is-typing.ts'

/** Moves the focus to the message when the user types where no field has it. No key is lost. */
export const useTypingElsewhere = (field: RefObject<HTMLTextAreaElement | null>): void => {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { current } = field
      if (!current || event.defaultPrevented || !startsText(event) || isTyping(event.target)) return
      if (document.querySelector('dialog[open]')) return
      // The browser types the letter where the focus is after this.
      current.focus()
      current.setSelectionRange(current.value.length, current.value.length)
    }
    // After the keys of a card, which handle their own letters.
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [field])
}

/** A space scrolls or presses a button, and no message starts with one. */
const startsText = (event: KeyboardEvent): boolean => {
  const { key } = event
  if (event.ctrlKey || event.metaKey || event.altKey)
    return event.getModifierState('AltGraph') && isLetter(key)
  return isLetter(key) || key === 'Dead' || key === 'Process'
}

const isLetter = (key: string): boolean => [...key].length === 1 && key !== ' '
