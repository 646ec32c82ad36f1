/** Runs work on the same thing one after another, in the order of the calls. */
export type InTurn = <Result>(id: string, work: () => Promise<Result>) => Promise<Result>

export const createInTurn = (): InTurn => {
  /** The last work on each thing, while it is not finished. */
  const last = new Map<string, Promise<void>>()
  return (id, work) => {
    const result = (last.get(id) ?? Promise.resolve()).then(work)
    const settled = result.then(
      () => {},
      () => {},
    )
    last.set(id, settled)
    void settled.then(() => last.get(id) === settled && last.delete(id))
    return result
  }
}
