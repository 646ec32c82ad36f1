import { printError } from './terminal.ts'

/** How long this process may live on after its work is done. */
const lingerMs = 2000

/** The work is done: nothing that was left open may keep this process alive. */
export const exitSoon = (code: number): void => {
  const exit = async () => {
    printError(`exiting, although something is still open: ${openResources()}.`)
    const { exitNow } = await import('../process/exit-now.ts')
    exitNow(code)
  }
  setTimeout(() => void exit(), lingerMs).unref()
}

/** What keeps this process alive, as Node names it. */
export const openResources = (): string => [...new Set(process.getActiveResourcesInfo())].join(', ')
