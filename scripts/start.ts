// `npm start`: the web app is built if it is stale, then the server runs from the sources.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import { freshWeb } from './web.ts'

await freshWeb()

const root = join(import.meta.dirname, '..')
const main = join(root, 'src', 'cli', 'main.js')
// The agents that Sluice is tested with are in node_modules: they are not the user’s own.
const path = (process.env.PATH ?? '').split(delimiter).filter((each) => !each.startsWith(root))
const child = spawn(process.execPath, [main, 'serve', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, PATH: path.join(delimiter) },
})
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code))
