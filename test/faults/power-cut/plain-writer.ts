// Writes to a log, and prints which operations are confirmed. `plain-writer.ts DIRECTORY DURABILITY SEED
// COUNT`.
import { writeSync } from 'node:fs'
import { openSqliteLog } from '../../../src/log/index.ts'
import { createSessions, performAll } from './operations.ts'

const [directory = '', durability, seed, count] = process.argv.slice(2)
const log = await openSqliteLog(directory, {
  synchronous: durability === 'normal' ? 'NORMAL' : 'FULL',
  checkpointPages: 24,
})
await createSessions(log)
writeSync(1, 'begin\n')
await performAll(log, Number(seed), Number(count), (number) =>
  writeSync(1, `confirmed ${number}\n`),
)
process.exit() // without closing the log, as a power cut would end it
