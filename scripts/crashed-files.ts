/** A test file whose process was ended by a signal, such as SIGTRAP after a fault inside of V8. */
export interface CrashedFile {
  file: string
  signal: string
}

const crash = /Worker exited unexpectedly with signal (\w+)[^\n]*? while running test file (\S+)/g

/**
 * The test files that crashed in a run of Vitest, from what it printed. Empty when the run has other
 * errors too: then it failed, and trying again would hide why.
 */
export const crashedFilesIn = (output: string): CrashedFile[] => {
  const found = [...output.matchAll(crash)].map(([, signal = '', file = '']) => ({ file, signal }))
  const errors = Number(/^ +Errors +(\d+) errors?$/m.exec(output)?.[1] ?? 0)
  const isAll = errors === found.length && !/^ +(?:Test Files|Tests) .*\bfailed\b/m.test(output)
  return isAll ? found : []
}
