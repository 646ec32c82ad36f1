import { type RefObject, useEffect, useRef } from 'react'

/**
 * Single keys that work while the focus is in the part, or nowhere in particular; then the first
 * part on the page takes them. While somebody types, they need Alt.
 */
export const useHotkeys = (
  root: RefObject<HTMLElement | null>,
  isOn: boolean,
  keys: Readonly<Record<string, () => void>>,
): void => {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    if (!isOn) return
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.defaultPrevented) return
      if ((isTyping(event.target) && !event.altKey) || !isMeant(root.current)) return
      // With Alt, some keyboards give another letter than the one on the key.
      const letter = event.altKey ? event.code.replace('Key', '') : event.key
      const run = latest.current[letter.toLowerCase()]
      if (!run) return
      event.preventDefault()
      run()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [isOn, root])
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role=menuitem]'))

const isMeant = (root: HTMLElement | null): boolean => {
  if (!root || document.querySelector('dialog[open]')) return false
  const card = document.activeElement?.closest('.approval')
  return card ? card.contains(root) : document.querySelector('.approval')?.contains(root) === true
}
