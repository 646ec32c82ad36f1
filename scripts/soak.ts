// Tries each fault of `test/faults/` for some minutes, with real processes and files, and prints what was
// tried and compared. `npm run soak -- --minutes 10 --seed 7 kill cuts`, `npm run soak -- --faults 1000 cluster`.
import { parseArgs } from 'node:util'
import { describeMachine } from '../bench/machine.ts'
import { type Fault, tryFault } from '../test/faults/fault.ts'
import { faults } from '../test/faults/faults.ts'

const { values, positionals } = parseArgs({
  options: {
    minutes: { type: 'string' },
    faults: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
  allowPositionals: true,
})

const print = (line: string) => void process.stdout.write(`${line}\n`)
const progressMs = 10_000

interface Outcome {
  fault: Fault
  tried: number
  compared: string
  result: string
}

/** The result of a fault whose preparation took all the time. */
const tooShort = 'not tried: raise --minutes'

const describeCounts = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([what, count]) => `${count.toLocaleString('en')} ${what}`).join(', ')

/** When a run ends: after a time, or so many tries, whichever comes first. */
interface Limits {
  milliseconds: number
  tries: number
}

const soak = async (
  fault: Fault,
  seed: number,
  { milliseconds, tries }: Limits,
): Promise<Outcome> => {
  const problem = fault.problem?.()
  if (problem !== undefined) {
    print(`${fault.name}: skipped: ${problem}`)
    return { fault, tried: 0, compared: '', result: `skipped: ${problem}` }
  }
  const bound = Number.isFinite(tries) ? `${tries} tries` : `${milliseconds / 60_000} minutes`
  print(`${fault.name}: ${fault.title}, for ${bound}`)
  const began = performance.now()
  const secondsSince = () => ((performance.now() - began) / 1000).toFixed(0)
  let printed = began
  let tried = 0
  try {
    const result = await tryFault(fault, {
      seed,
      goesOn: (before) => performance.now() - began < milliseconds && before < tries,
      onTry(before) {
        tried = before + 1
        if (performance.now() - printed < progressMs) return
        printed = performance.now()
        print(`  ${secondsSince()} s: ${before} tries`)
      },
      onNote: (what) => print(`  ${secondsSince()} s: ${what}`),
    })
    const compared = describeCounts(result.counts)
    print(`  ${result.tried} tries: ${compared}`)
    const isTried = result.tried > 0
    return { fault, tried: result.tried, compared, result: isTried ? 'ok' : tooShort }
  } catch (cause) {
    print(`  FAILED: ${cause instanceof Error ? cause.stack : cause}`)
    return { fault, tried, compared: '', result: 'FAILED' }
  }
}

const printTable = (outcomes: readonly Outcome[]): void => {
  print('\n| fault | tries | compared | result |\n|---|---|---|---|')
  for (const { fault, tried, compared, result } of outcomes)
    print(`| ${fault.title} | ${tried.toLocaleString('en')} | ${compared} | ${result} |`)
}

const main = async (): Promise<void> => {
  const known = faults.map(({ name }) => name)
  const unknown = positionals.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new Error(`Unknown fault: ${unknown.join(', ')}. The faults are ${known.join(', ')}.`)
  const chosen = faults.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  // A number of faults takes as long as it takes, unless both are given.
  const usual = values.faults === undefined ? 10 : Number.POSITIVE_INFINITY
  const minutes = values.minutes === undefined ? usual : Number(values.minutes)
  const [seed, tries] = [Number(values.seed), Number(values.faults ?? Number.POSITIVE_INFINITY)]
  if (!Number.isInteger(seed) || !(minutes > 0) || !(tries > 0))
    throw new Error('--seed is a whole number, --minutes and --faults are numbers above 0.')
  print(`Seed ${seed}: repeat this run with --seed ${seed}.`)
  print(describeMachine())
  const outcomes: Outcome[] = []
  for (const fault of chosen)
    outcomes.push(
      await soak(fault, seed, { milliseconds: (minutes * 60_000) / chosen.length, tries }),
    )
  printTable(outcomes)
  process.exitCode = outcomes.some(({ result }) => result === 'FAILED') ? 1 : 0
}

await main()
