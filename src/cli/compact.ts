import { compactSqlite } from '../log/sqlite/compact.ts'
import { formatSize } from '../shared/format-size.ts'
import { asDataFault } from '../sluice/open-log.ts'
import { exitCodes } from './exit.ts'
import { refuseNode } from './node-data.ts'
import type { Terminal } from './terminal.ts'

/** `sluice compact`: rewrites the log without its free space. */
export const compact = async ({ data }: { data: string }, terminal: Terminal): Promise<number> => {
  refuseNode(data)
  const { before, after } = await asDataFault((async () => compactSqlite(data))())
  terminal.write(`The log was ${formatSize(before)} and is ${formatSize(after)} now.\n`)
  await terminal.flush()
  return exitCodes.done
}
