/** True if a promise resolves within a time, false if the time runs out first. */
export const finishesWithin = async (done: Promise<unknown>, ms: number): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), ms)
  const inTime = await Promise.race([done.then(() => true), promise])
  clearTimeout(timer)
  return inTime
}
