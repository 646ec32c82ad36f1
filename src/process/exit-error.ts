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
  const output = stderr === '' ? '' : `\n${stderr}`
  return { type: 'error', code: 'agent_exit', message: `${title} ${how}.${output}`, fatal }
}
