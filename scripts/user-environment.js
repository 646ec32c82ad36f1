import { delimiter, join, sep } from 'node:path'

const root = join(import.meta.dirname, '..')

/**
 * Gives the process the environment of the user who ran npm: their directory, so that relative paths
 * mean what they typed, and their PATH without our `node_modules`, so that the agents Sluice is tested
 * with are not offered as the user’s own.
 */
export const enterUserEnvironment = () => {
  const { PATH = '', INIT_CWD } = process.env
  process.env.PATH = PATH.split(delimiter)
    .filter((directory) => !`${directory}${sep}`.startsWith(root + sep))
    .join(delimiter)
  if (INIT_CWD !== undefined) process.chdir(INIT_CWD)
}
