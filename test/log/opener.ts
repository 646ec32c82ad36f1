// Opens the log of a directory, appends some events, and prints the result as JSON. With `leave` it does
// not close the log: the process must end all the same.
import { openSqliteLog } from '../../src/log/index.ts'

const [directory = '', mode] = process.argv.slice(2)
try {
  const log = await openSqliteLog(directory, { checkpointPages: 4 })
  const now = Date.now()
  const id = `opener ${process.pid}`
  await log.sessions.create({
    id,
    agent: 'pi',
    cwd: '/',
    state: 'idle',
    createdAt: now,
    updatedAt: now,
  })
  for (let seq = 1; seq <= 50; seq += 1)
    await log.append(id, [{ type: 'agent_start', sessionId: id, seq, timestamp: now }])
  process.stdout.write(JSON.stringify({ head: await log.head(id) }))
  if (mode !== 'leave') await log.close()
} catch (cause) {
  if (!(cause instanceof Error)) throw cause
  const code = 'code' in cause ? cause.code : undefined
  process.stdout.write(JSON.stringify({ code, message: cause.message }))
}
