import { type RefObject, useLayoutEffect } from 'react'
import { isTouch } from '../parts/is-touch.ts'

/** When a card with the focus is removed, focuses the next card, or where the user continues. */
export const useFocusNext = (card: RefObject<HTMLElement | null>): void => {
  useLayoutEffect(() => {
    const { current } = card
    return () => {
      // The card is still on the page here; the next one is found after its removal.
      if (current?.contains(document.activeElement)) queueMicrotask(focusNext)
    }
  }, [card])
}

const focusNext = (): void => {
  if (document.activeElement !== document.body) return
  // The card, not its button: a key that is still held down must not answer it as well.
  const selectors = [
    '.approval',
    isTouch() ? '.entry-scroll' : '.composer textarea',
    'main a[href]',
  ]
  const found = selectors.map((selector) => document.querySelector<HTMLElement>(selector))
  found.find((element) => element !== null)?.focus()
}
