// Compares what Sluice costs with what other readers cost, side by side on this machine. Figures are
// not tests: a missed goal is printed, and the exit code is still 0.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runBench } from './bench.ts'
import { benches } from './benches.ts'
import { runClusterSim } from './cluster-sim.ts'
import { warmUp } from './contender.ts'
import { runCost } from './cost.ts'
import { runImport } from './import.ts'
import { runLineLength } from './line-length.ts'
import { runLogAppend, runLogCommits, runLogReplay, runWholePath } from './log.ts'
import { runLoopOverhead } from './loop.ts'
import { describeLoad, describeMachine } from './machine.ts'
import { runJetStreamAppend } from './nats.ts'
import { runNodes } from './nodes.ts'
import { runPage } from './page.ts'
import type { BenchOptions, BenchPart } from './part.ts'
import { runPeer } from './peer.ts'
import { printRow, printSum, printTitle, type Row } from './report.ts'
import { runServeStartup } from './serve-startup.ts'
import { runCatchUp } from './sse/catch-up.ts'
import { runCompression } from './sse/compression.ts'
import { runFanOut } from './sse/fan-out.ts'
import { runIdle, runStalled } from './sse/memory.ts'
import { runWireBytes } from './sse/wire-bytes.ts'
import { runStartup } from './startup.ts'
import { runViewers } from './viewers.ts'
import { runWatch } from './watch.ts'

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    against: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
  allowPositionals: true,
})

/** All parts by name. The command line may name the ones to run. */
const parts = new Map<string, BenchPart>()
for (const bench of benches) parts.set(bench.name, (options) => runBench(bench, options))
parts.set('line-length', runLineLength)
parts.set('startup', runStartup)
parts.set('log-append', runLogAppend)
parts.set('log-replay', runLogReplay)
parts.set('log-commits', runLogCommits)
parts.set('jetstream-append', runJetStreamAppend)
parts.set('nodes', runNodes)
parts.set('viewers', runViewers)
parts.set('cluster-sim', runClusterSim)
parts.set('whole-path', runWholePath)
parts.set('sse-fan-out', runFanOut)
parts.set('sse-compression', runCompression)
parts.set('sse-bytes', runWireBytes)
parts.set('sse-resume', runCatchUp)
parts.set('sse-stalled', runStalled)
parts.set('sse-idle', runIdle)
parts.set('cost', runCost)
parts.set('import', runImport)
parts.set('loop', runLoopOverhead)
parts.set('page', runPage)
parts.set('peer', runPeer)
parts.set('serve-startup', runServeStartup)
parts.set('watch', runWatch)

/** How large the inputs are, and which part of the rounds of a full run there is. */
const size = values.full
  ? { name: 'full', scale: 1, rounds: 1 }
  : values.quick
    ? { name: 'quick', scale: 0.1, rounds: 0 }
    : { name: 'usual', scale: 0.4, rounds: 0.6 }

/** The goals are for the full size: with less input, the start of a process weighs more. */
const sizeText = (): string =>
  size.scale === 1
    ? size.name
    : `${size.name}; the inputs have ${size.scale * 100} % of the full size, and the goals are for --full`

const runParts = async (options: BenchOptions): Promise<Row[]> => {
  const rows: Row[] = []
  const began = performance.now()
  await warmUp(options)
  const chosen = [...parts].filter(
    ([name]) => positionals.length === 0 || positionals.includes(name),
  )
  for (const [index, [name, run]] of chosen.entries()) {
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    printTitle(`[${index + 1}/${chosen.length}] ${name}`, `after ${seconds} s, ${describeLoad()}`)
    const found = await run(options)
    found.forEach(printRow)
    rows.push(...found)
  }
  return rows
}

const helpText = (): string => `Usage: npm run bench -- [options] [part…]

Compares what Sluice costs with what other readers cost. Without a part, all of them run.

  --quick            smaller inputs, one round
  --full             the size that the goals are for
  --against <path>   compare with another checkout of Sluice
  -h, --help         print this help

Parts: ${[...parts.keys()].join(', ')}
`

const main = async (): Promise<void> => {
  if (values.help) {
    process.stdout.write(helpText())
    return
  }
  const unknown = positionals.filter((name) => !parts.has(name))
  if (unknown.length > 0)
    throw new Error(
      `Unknown part: ${unknown.join(', ')}. The parts are ${[...parts.keys()].join(', ')}.`,
    )
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  try {
    const began = performance.now()
    printTitle('Sluice benchmarks', describeMachine())
    printTitle('size', sizeText())
    const rows = await runParts({
      directory,
      rounds: (full) => Math.max(1, Math.ceil(full * size.rounds)),
      scale: size.scale,
      against: values.against === undefined ? undefined : resolve(values.against),
      signal: stop.signal,
    })
    printSum(rows, (performance.now() - began) / 1000)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

await main()
