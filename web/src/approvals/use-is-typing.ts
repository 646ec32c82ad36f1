import { useSyncExternalStore } from 'react'

/** Whether the focus is in a field, so that keys type text. */
export const useIsTyping = (): boolean =>
  useSyncExternalStore(watchFocus, () => isTyping(document.activeElement))

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role=menuitem]'))

const watchFocus = (listener: () => void) => {
  document.addEventListener('focusin', listener)
  document.addEventListener('focusout', listener)
  return () => {
    document.removeEventListener('focusin', listener)
    document.removeEventListener('focusout', listener)
  }
}
