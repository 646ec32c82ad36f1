// Runs until npm is gone, as the server of `npm start` does.
import { watchLauncher } from '../../scripts/watch-launcher.js'

process.on('SIGTERM', () => process.exit(0))
setInterval(() => {}, 60_000)
await watchLauncher()
process.stdout.write(`${process.pid}\n`)
