import { useEffect, useState } from 'react'

/** Returns the focus to the element that had it before, when the component is removed with it. */
export const useRestoreFocus = (): void => {
  // At the first render: after it, a field of the component has the focus.
  const [previous] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      const isLost = document.activeElement === document.body
      if (isLost && previous instanceof HTMLElement) previous.focus()
    },
    [previous],
  )
}
