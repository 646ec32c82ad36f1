import { createContext, useContext, useEffect, useState } from 'react'

/** Stops the clock of the views inside it at one moment, as a replay does; undefined lets it run. */
const StoppedClock = createContext<number | undefined>(undefined)
export const StoppedClockProvider = StoppedClock.Provider

/** The current time, updated at an interval. Only components that use it render again. */
export const useNow = (everyMs: number): number => {
  const stopped = useContext(StoppedClock)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return stopped ?? now
}
