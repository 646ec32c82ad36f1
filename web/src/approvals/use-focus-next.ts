import { type RefObject, useLayoutEffect } from 'react'
import { isTouch } from '../parts/is-touch.ts'

/**
 * When a card with the focus is removed, focuses where the user continues: the next card for those
 * who use the keyboard, otherwise the composer. After a click, whatever is typed is a message.
 */
export const useFocusNext = (card: RefObject<HTMLElement | null>): void => {
  useLayoutEffect(() => {
    const { current } = card
    return () => {
      // The card is still on the page here; the next one is found after its removal.
      const { activeElement } = document
      if (!activeElement || !current?.contains(activeElement)) return
      const isByKey = activeElement.matches(':focus-visible')
      queueMicrotask(() => focusNext(isByKey))
    }
  }, [card])
}

const focusNext = (isByKey: boolean): void => {
  if (document.activeElement !== document.body) return
  // The card, not its button: a key that is still held down must not answer it as well.
  const selectors = [
    ...(isByKey ? ['.approval'] : []),
    isTouch() ? '.entry-scroll' : '.composer textarea',
    '.project a[href]',
    'main a[href]:not(.approval *)',
  ]
  const found = selectors.map((selector) => document.querySelector<HTMLElement>(selector))
  found.find((element) => element !== null)?.focus()
}
