// Plain JavaScript, because a worker starts with a file: this one is bundled on its own. It searches
// the database on a thread of its own, so that no search holds up the event loop.
import { parentPort, workerData } from 'node:worker_threads'
import { openSqliteReader } from '../../log/sqlite/sqlite-reader.ts'
import { searchSessions } from './search-sessions.ts'

const search = async (query) => {
  const log = openSqliteReader(workerData)
  try {
    return { result: await searchSessions(log, query) }
  } catch (cause) {
    return { error: String(cause) }
  } finally {
    await log.close()
  }
}

parentPort.on('message', async (query) => parentPort.postMessage(await search(query)))
