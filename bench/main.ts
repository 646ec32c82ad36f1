// What Sluice costs and what other readers cost, on this machine, side by side. Figures are not
// tests: a goal that is missed is said, and the exit code stays 0.
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runBench } from './bench.ts'
import { benches } from './benches.ts'
import { warmUp } from './contender.ts'
import { runLineLength } from './line-length.ts'
import { runLogAppend, runLogCommits, runLogReplay, runWholePath } from './log.ts'
import { runPeer } from './peer.ts'
import { printRow, printSum, printTitle, type Row } from './report.ts'
import { runServeStartup } from './serve-startup.ts'
import type { Setting } from './setting.ts'
import { runCatchUp, runCompression, runFanOut, runIdle, runStalled, runWireBytes } from './sse.ts'
import { runStartup } from './startup.ts'

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
})

/** Every part of a run by name; names on the command line choose among them. */
const parts = new Map<string, (setting: Setting) => Promise<Row[]>>()
for (const bench of benches) parts.set(bench.name, (setting) => runBench(bench, setting))
parts.set('line-length', runLineLength)
parts.set('startup', runStartup)
parts.set('log-append', runLogAppend)
parts.set('log-replay', runLogReplay)
parts.set('log-commits', runLogCommits)
parts.set('whole-path', runWholePath)
parts.set('sse-fan-out', runFanOut)
parts.set('sse-compression', runCompression)
parts.set('sse-bytes', runWireBytes)
parts.set('sse-resume', runCatchUp)
parts.set('sse-stalled', runStalled)
parts.set('sse-idle', runIdle)
parts.set('peer', runPeer)
parts.set('serve-startup', runServeStartup)

const runParts = async (setting: Setting): Promise<Row[]> => {
  const rows: Row[] = []
  await warmUp(setting)
  for (const [name, run] of parts) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    const found = await run(setting)
    found.forEach(printRow)
    rows.push(...found)
  }
  return rows
}

const main = async (): Promise<void> => {
  const unknown = positionals.filter((name) => !parts.has(name))
  if (unknown.length > 0) throw new Error(`There is only ${[...parts.keys()].join(', ')}.`)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  try {
    const began = performance.now()
    const machine = `${process.platform} ${process.arch}, ${availableParallelism()} cores`
    printTitle('Sluice benchmarks', `Node ${process.version}, ${machine}`)
    const { quick } = values
    if (quick) printTitle('quick', 'a tenth of the input; the goals are meant for all of it')
    const rows = await runParts({ directory, quick, scale: quick ? 0.1 : 1, signal: stop.signal })
    printSum(rows, (performance.now() - began) / 1000)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

await main()
