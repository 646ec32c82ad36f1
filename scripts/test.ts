// Everything that must hold, in one command: format, lint, all type checks, tests. Quiet when
// green; the last line counts.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { programForTests } from '../test/agents/cached-agents.ts'
import { installAgents } from '../test/agents/install-agents.ts'
import {
  bubblewrap,
  findProgram,
  natsServer,
  unpackProgram,
} from '../test/support/debian-program.ts'
import { crashedFilesIn } from './crashed-files.ts'

const root = join(import.meta.dirname, '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

interface Check {
  name: string
  program: string
  args: string[]
}

const checks: Check[] = [
  { name: 'format and lint', program: bin('biome'), args: ['check', '--error-on-warnings', '.'] },
  { name: 'types', program: bin('tsc'), args: ['--noEmit', '-p', 'tsconfig.json'] },
  { name: 'types without Node', program: bin('tsc'), args: ['-p', 'tsconfig.browser.json'] },
  { name: 'types of the web app', program: bin('tsc'), args: ['-p', 'web/tsconfig.json'] },
  { name: 'types of its tests', program: bin('tsc'), args: ['-p', 'test/web/tsconfig.json'] },
]

const run = ({ name, program, args }: Check): boolean => {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
  })
  if (status === 0) return true
  process.stdout.write(`${name} failed\n${stdout}${stderr}${error ? `${error.message}\n` : ''}`)
  return false
}

interface Tests {
  passed: number
  failed: number
  skipped: number
}

const numberIn = (report: object, key: string): number => {
  const value: unknown = Reflect.get(report, key)
  return typeof value === 'number' ? value : 0
}

interface Run extends Tests {
  succeeded: boolean
  /** What Vitest printed. */
  output: string
}

const runVitest = (extra: string[]): Run => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  const file = join(directory, 'report.json')
  const reporters = ['dot', 'json', 'test/support/flaky-reporter.ts'].map(
    (name) => `--reporter=${name}`,
  )
  // Real agents and browsers on a busy machine: a test may try once more, and is named if it must.
  const args = [bin('vitest'), 'run', '--retry=1', ...reporters, `--outputFile=${file}`, ...extra]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
    maxBuffer: 256 * 1024 * 1024,
  })
  const ended = { succeeded: status === 0, output: stdout + stderr }
  try {
    const report: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof report !== 'object' || report === null) throw new Error('no report')
    const failed = numberIn(report, 'numFailedTests') + numberIn(report, 'numFailedTestSuites')
    const passed = numberIn(report, 'numPassedTests')
    const skipped = numberIn(report, 'numPendingTests') + numberIn(report, 'numTodoTests')
    return { ...ended, passed, failed: failed || (status === 0 ? 0 : 1), skipped }
  } catch {
    return { succeeded: false, output: `tests did not run\n${ended.output}`, ...noTests, failed: 1 }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const noTests: Tests = { passed: 0, failed: 0, skipped: 0 }

/**
 * Runs the tests. Vitest’s own words are shown only when something fails. A file whose process crashed
 * (Node itself sometimes does) may try once more, and is named.
 */
const runTests = (extra: string[]): Tests => {
  const first = runVitest(extra)
  const crashed = first.succeeded ? [] : crashedFilesIn(first.output)
  if (crashed.length === 0) {
    process.stdout.write(first.succeeded ? remarks(first.output) : first.output)
    return first
  }
  const second = runVitest(crashed.map(({ file }) => file))
  process.stdout.write(remarks(first.output))
  for (const { file, signal } of crashed)
    process.stdout.write(`flaky: ${relative(root, file)}: its process crashed (${signal})\n`)
  process.stdout.write(second.succeeded ? remarks(second.output) : second.output)
  return {
    passed: first.passed + second.passed,
    failed: second.failed,
    skipped: first.skipped + second.skipped,
  }
}

/** Tests that skip say why, and tests that passed at the second try are named: a line each. */
const remarks = (output: string): string =>
  output
    .split('\n')
    .filter((line) => line.startsWith('skipped: ') || line.startsWith('flaky: '))
    .map((line) => `${line}\n`)
    .join('')

/** How long the download of Codex may take: 11 s were measured, for 165 MB. */
const downloadMs = 60_000

/** A whole run tests a real Codex, too. It is downloaded once; without it, its tests are skipped. */
const fetchCodex = (): void => {
  if (process.env.SLUICE_TEST_AGENTS === 'installed') return
  if (programForTests('codex') !== undefined) return
  const failure = installAgents(['codex'], { quietMs: downloadMs })
  if (failure !== undefined)
    process.stdout.write(`skipped: Codex: it could not be downloaded: ${failure}\n`)
}

/** Programs that tests need, where a package of the system has them. Without them, tests are skipped. */
const fetchPrograms = (): void => {
  for (const program of [bubblewrap, natsServer])
    if (findProgram(program) === undefined) unpackProgram(program)
}

const broken = checks.filter((check) => !run(check)).length
const extra = process.argv.slice(2)
if (extra.length === 0) {
  fetchCodex()
  fetchPrograms()
}
const tests = runTests(extra)
const passed = tests.passed + checks.length - broken
const failed = tests.failed + broken
process.stdout.write(`${passed} passed, ${failed} failed, ${tests.skipped} skipped\n`)
process.exitCode = failed === 0 ? 0 : 1
