import { useSyncExternalStore } from 'react'

/** Whether letters go into a field. */
export const useIsTyping = (): boolean =>
  useSyncExternalStore(watchFocus, () => isTyping(document.activeElement))

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role=menuitem]'))

const watchFocus = (tell: () => void) => {
  document.addEventListener('focusin', tell)
  document.addEventListener('focusout', tell)
  return () => {
    document.removeEventListener('focusin', tell)
    document.removeEventListener('focusout', tell)
  }
}
