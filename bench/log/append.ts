// Appends events to the log turn by turn, or the same events as lines of JSON to a file.
import { fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteLog } from '../../src/log/index.ts'
import { recordOf, sessionIds, type Turn, turnsOf } from './events.ts'
import { measure, printFigures, readJob } from './job.ts'

const job = readJob()
const turns = [...turnsOf(job.count, job.size)]

const toLog = async () => {
  const log = await openSqliteLog(job.directory, { synchronous: job.synchronous })
  for (const id of sessionIds) await log.sessions.create(recordOf(id))
  const figures = await measure(async () => {
    for (const turn of turns)
      await Promise.all([...turn].map(([id, events]) => log.append(id, events)))
  })
  await log.close()
  return figures
}

const toFile = () => {
  const file = openSync(join(job.directory, 'lines'), 'a')
  const line = (event: unknown) => `${JSON.stringify(event)}\n`
  const textOf = (turn: Turn) => [...turn.values()].flat().map(line).join('')
  return measure(async () => {
    for (const turn of turns) {
      writeSync(file, textOf(turn))
      if (job.synchronous === 'FULL') fdatasyncSync(file)
    }
  })
}

printFigures(await (job.contender === 'file' ? toFile() : toLog()))
