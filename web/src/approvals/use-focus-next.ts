import { type RefObject, useLayoutEffect } from 'react'
import { isTouch } from '../parts/is-touch.ts'

/** A card that goes away with the focus gives it to the next one, or to where the work goes on. */
export const useFocusNext = (card: RefObject<HTMLElement | null>): void => {
  useLayoutEffect(() => {
    const { current } = card
    return () => {
      // Here it still stands on the page; what comes next is known when it does not.
      if (current?.contains(document.activeElement)) queueMicrotask(focusNext)
    }
  }, [card])
}

const focusNext = (): void => {
  if (document.activeElement !== document.body) return
  // A card, not its button: a key that is still held down must not answer it, too.
  const places = ['.approval', isTouch() ? '.entry-scroll' : '.composer textarea', 'main a[href]']
  const found = places.map((place) => document.querySelector<HTMLElement>(place))
  found.find((place) => place !== null)?.focus()
}
