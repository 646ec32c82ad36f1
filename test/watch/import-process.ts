// Imports the files below a home directory into a data directory, and prints a line when it has begun to.
import { openSqliteLog } from '../../src/log/index.ts'
import { importHome } from './rig.ts'

const [data = '', home = ''] = process.argv.slice(2)
const log = await openSqliteLog(data)
process.stdout.write('begun\n')
await importHome(home, log)
await log.close()
