// Tries each fault of `test/faults/` for some minutes, with real processes and files, and prints what was
// tried and compared. `npm run soak -- --minutes 10 --seed 7 kill cuts`.
import { parseArgs } from 'node:util'
import { describeMachine } from '../bench/machine.ts'
import { type Fault, tryFault } from '../test/faults/fault.ts'
import { faults } from '../test/faults/faults.ts'

const { values, positionals } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
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

const soak = async (fault: Fault, seed: number, milliseconds: number): Promise<Outcome> => {
  const problem = fault.problem?.()
  if (problem !== undefined) {
    print(`${fault.name}: skipped: ${problem}`)
    return { fault, tried: 0, compared: '', result: `skipped: ${problem}` }
  }
  print(`${fault.name}: ${fault.title}, for ${(milliseconds / 60_000).toFixed(1)} minutes`)
  const began = performance.now()
  let printed = began
  let tried = 0
  try {
    const result = await tryFault(fault, {
      seed,
      goesOn: () => performance.now() - began < milliseconds,
      onTry(before) {
        tried = before + 1
        if (performance.now() - printed < progressMs) return
        printed = performance.now()
        print(`  ${((printed - began) / 1000).toFixed(0)} s: ${before} tries`)
      },
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
  const [seed, minutes] = [Number(values.seed), Number(values.minutes)]
  if (!Number.isInteger(seed) || !(minutes > 0))
    throw new Error('--seed is a whole number, and --minutes a number above 0.')
  print(`Seed ${seed}: repeat this run with --seed ${seed}.`)
  print(describeMachine())
  const outcomes: Outcome[] = []
  for (const fault of chosen)
    outcomes.push(await soak(fault, seed, (minutes * 60_000) / chosen.length))
  printTable(outcomes)
  process.exitCode = outcomes.some(({ result }) => result === 'FAILED') ? 1 : 0
}

await main()
