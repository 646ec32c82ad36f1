import { createContext, useContext, useEffect, useState } from 'react'

/** A moment that stands still; where there is none, time goes on. */
const StoppedClock = createContext<number | undefined>(undefined)
export const StoppedClockProvider = StoppedClock.Provider

/** The time, as often as it is shown. Parts that show none are not drawn again. */
export const useNow = (everyMs: number): number => {
  const stopped = useContext(StoppedClock)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return stopped ?? now
}
