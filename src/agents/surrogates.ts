/**
 * Joins what a delta boundary cut in half: a lone high surrogate at the end of one delta waits for
 * the next, so that no event holds half a character (UTF-8 could not carry it).
 */
export const createJoiner = () => {
  let held = ''
  return {
    push(delta: string): string {
      const text = held + delta
      const last = text.charCodeAt(text.length - 1)
      held = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : ''
      return held ? text.slice(0, -1) : text
    },
    /** The half that never found its other half. */
    rest(): string {
      const rest = held
      held = ''
      return rest
    },
  }
}
