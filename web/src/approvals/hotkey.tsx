import { useIsTyping } from './use-is-typing.ts'

/** The key for a button; with Alt while the user types. Its width stays the same. */
export const Hotkey = ({ letter }: { letter: string }) => {
  const isTyping = useIsTyping()
  if (isTyping && isMac) return <kbd className="hotkey hotkey-off">{letter}</kbd>
  return <kbd className="hotkey">{isTyping ? `Alt ${letter}` : letter}</kbd>
}

/** On a Mac, Alt types other letters, so there is no such key while the user types. */
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
