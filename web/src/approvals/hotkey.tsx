import { useIsTyping } from './use-is-typing.ts'

/** The key that does the same, as it has to be pressed now. Its room does not change. */
export const Hotkey = ({ letter }: { letter: string }) => {
  const isTyping = useIsTyping()
  if (isTyping && isMac) return <kbd className="hotkey hotkey-off">{letter}</kbd>
  return <kbd className="hotkey">{isTyping ? `Alt ${letter}` : letter}</kbd>
}

/** Where Alt writes other letters, there is no key for somebody who types. */
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
