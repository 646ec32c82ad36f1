// Compares what Sluice costs with what other readers cost, on this machine, side by side. Figures
// are not tests: a goal that is missed is said, and the exit code stays 0.
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runBench, type Setting } from './bench.ts'
import { benches } from './benches.ts'
import { printRow, printSum, printTitle, type Row } from './report.ts'

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
})

/** Every part of the run by name; with names on the command line, only those. */
type Part = (setting: Setting) => Promise<Row[]>
const parts = new Map<string, Part>()
for (const bench of benches) parts.set(bench.name, (setting) => runBench(bench, setting))

const runAll = async (setting: Setting): Promise<Row[]> => {
  const rows: Row[] = []
  for (const [name, run] of parts) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    const found = await run(setting)
    found.forEach(printRow)
    rows.push(...found)
  }
  return rows
}

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
try {
  const began = performance.now()
  const machine = `${process.platform} ${process.arch}, ${availableParallelism()} cores`
  printTitle('Sluice benchmarks', `Node ${process.version}, ${machine}`)
  const { quick } = values
  const rows = await runAll({ directory, scale: quick ? 0.1 : 1, quick, signal: stop.signal })
  printSum(rows, (performance.now() - began) / 1000)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
