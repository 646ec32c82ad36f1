import { useEffect, useState } from 'react'

/** Gives the focus back to whoever had it before, when the part goes away with it. */
export const useFocusBack = (): void => {
  // At the first drawing: afterwards a field of the part has it.
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      const isNowhere = document.activeElement === document.body
      if (isNowhere && before instanceof HTMLElement) before.focus()
    },
    [before],
  )
}
