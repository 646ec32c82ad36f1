import { type RefObject, useEffect, useRef } from 'react'
import { isTyping } from './use-is-typing.ts'

type Keys = Readonly<Record<string, () => void>>

interface Hotkeys {
  /** Work with the focus in this card, or in no card if this is the first one. */
  readonly anywhere: Keys
  /** Work only with the focus in this card, for actions that no stray key may start. */
  readonly inside: Keys
}

/** Runs actions on single keys. While the user types in a field, they need Alt. */
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
      if ((isTyping(event.target) && !event.altKey) || !isTarget(root.current)) return
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

/** Whether keys are meant for this card: the focused one, or else the first on the page. */
const isTarget = (root: HTMLElement | null): boolean => {
  if (!root || document.querySelector('dialog[open]')) return false
  const card = focusedCard() ?? document.querySelector('.approval')
  return card?.contains(root) === true
}
