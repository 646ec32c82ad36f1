import { type RefObject, useEffect, useRef } from 'react'
import { isTyping } from '../parts/is-typing.ts'

type Keys = Readonly<Record<string, () => void>>

/** Runs actions on single letters, while the focus is on this card and in none of its fields. */
export const useHotkeys = (
  root: RefObject<HTMLElement | null>,
  isOn: boolean,
  keys: Keys,
): void => {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    if (!isOn) return
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.defaultPrevented || event.repeat || event.isComposing) return
      if (isTyping(event.target) || !isFocused(root.current)) return
      const letter = event.key.toLowerCase()
      if (!Object.hasOwn(latest.current, letter)) return
      event.preventDefault()
      latest.current[letter]?.()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [isOn, root])
}

const isFocused = (root: HTMLElement | null): boolean =>
  root !== null &&
  !document.querySelector('dialog[open]') &&
  document.activeElement?.closest('.approval')?.contains(root) === true
