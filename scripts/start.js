// `npm start`: builds what is stale, then runs `sluice serve` from the sources. The build runs in a
// child, so that its memory is free again before the server starts; and this file is JavaScript, so
// that a warm start does not load the TypeScript compiler.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { enterUserEnvironment } from './user-environment.js'
import { watchLauncher } from './watch-launcher.js'

const builder = join(import.meta.dirname, 'prepare-start.ts')
const { status } = spawnSync(process.execPath, [builder], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)

enterUserEnvironment()
void watchLauncher()
process.argv.splice(2, 0, 'serve')
await import('../src/cli/main.js')
