import type { EventOf } from '../events/types.ts'
import type { Exit } from './stop-process.ts'

/** The error event of an agent process that ended unexpectedly, with the end of its stderr. */
export const exitError = (
  title: string,
  exit: Exit,
  stderr: string,
  fatal: boolean,
): EventOf<'error'> => {
  const how = exit.signal ? `was killed by ${exit.signal}` : `exited with code ${exit.code}`
  return agentExit(`${title} ${how}.`, stderr, fatal)
}

/** The error event of an agent that can print nothing any more, but does not end. */
export const closedOutputError = (title: string, stderr: string): EventOf<'error'> =>
  agentExit(`${title} closed its output and kept running, so it was ended.`, stderr, false)

const agentExit = (reason: string, stderr: string, fatal: boolean): EventOf<'error'> => {
  const output = stderr === '' ? '' : `\n${stderr}`
  return { type: 'error', code: 'agent_exit', message: `${reason}${output}`, fatal }
}
