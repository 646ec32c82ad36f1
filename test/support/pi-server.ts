import { piSetup } from '../agents/pi.ts'
import { startModel } from '../model/server.ts'
import { agentProgram } from './agent-program.ts'
import { createServerDirectories, startServerProcess } from './server-process.ts'

/** A server process whose Pi is the real one, with a scripted model. */
export const startPiServer = async () => {
  const directories = createServerDirectories()
  const model = await startModel()
  const setup = piSetup('0.87', model.url)
  const env = { ...setup.env, PI_BIN: agentProgram(setup) }
  const server = await startServerProcess(directories, { env })
  return {
    directories,
    model,
    server,
    async close() {
      if (server.child.exitCode === null) await server.stop()
      setup.remove()
      await model.close()
      directories.remove()
    },
  }
}
