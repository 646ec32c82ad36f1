import { type RefObject, useEffect, useRef } from 'react'
import { isTyping } from './use-is-typing.ts'

type Keys = Readonly<Record<string, () => void>>

interface Hotkeys {
  /** With the focus in the part, or nowhere in particular; then the first part takes them. */
  readonly anywhere: Keys
  /** Only with the focus in the part, for what no stray letter may do. */
  readonly inside: Keys
}

/** Single keys. While somebody types they need Alt, as long as that does not write a letter. */
export const useHotkeys = (
  root: RefObject<HTMLElement | null>,
  isOn: boolean,
  keys: Hotkeys,
): void => {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    if (!isOn) return
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.defaultPrevented || event.repeat) return
      if ((isTyping(event.target) && !event.altKey) || !isMeant(root.current)) return
      const { anywhere, inside } = latest.current
      const letter = event.key.toLowerCase()
      const run = anywhere[letter] ?? (focusedCard()?.contains(root.current) && inside[letter])
      if (!run) return
      event.preventDefault()
      run()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [isOn, root])
}

const focusedCard = (): Element | null | undefined => document.activeElement?.closest('.approval')

const isMeant = (root: HTMLElement | null): boolean => {
  if (!root || document.querySelector('dialog[open]')) return false
  const card = focusedCard() ?? document.querySelector('.approval')
  return card?.contains(root) === true
}
