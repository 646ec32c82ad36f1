// Stores two blobs and the event of the first one, and dies before the event of the second one.
import { openSqliteLog } from '../../src/log/index.ts'
import { session, textEvent } from './samples.ts'

const [directory = ''] = process.argv.slice(2)
const log = await openSqliteLog(directory)
await log.sessions.create(session('a'))
const used = await log.blobs.put('a', Buffer.from('used'))
await log.append('a', [textEvent('a', 1, `a reference to ${used.hash}`)])
await log.blobs.put('a', Buffer.from('left behind'))
process.kill(process.pid, 'SIGKILL')
