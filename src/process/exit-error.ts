import type { EventOf } from '../events/types.ts'
import type { Exit } from './spawn.ts'

/** The error that tells how an agent’s process ended, with its last words. */
export const exitError = (
  title: string,
  exit: Exit,
  stderr: string,
  fatal: boolean,
): EventOf<'error'> => {
  const how = exit.signal ? `was ended by ${exit.signal}` : `ended with exit code ${exit.code}`
  const words = stderr === '' ? '' : `\n${stderr}`
  return { type: 'error', code: 'agent_exit', message: `${title} ${how}.${words}`, fatal }
}
