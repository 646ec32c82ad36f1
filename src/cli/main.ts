import { enableCompileCache } from 'node:module'

// Compiled code is kept between runs: the sources start nearly as fast as the bundle.
enableCompileCache()
const { main } = await import('./program.ts')
process.exitCode = await main(process.argv.slice(2))
