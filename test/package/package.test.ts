import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { createServer } from 'vite'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { entries } from '../../scripts/entries.ts'
import { scope } from '../../src/api/key.ts'
import { recording } from '../support/recordings.ts'
import { createServerDirectories, startServerProcess } from '../support/server-process.ts'
import { root, run } from '../support/sluice.ts'
import { tryChromium } from '../web/support/chromium.ts'
import { type InstalledPackage, installPackage } from './installed-package.ts'
import { codeBlocks, linkedFiles } from './markdown.ts'

/** `import … from 'sluice/events'` for each entry. */
const specifiers = Object.keys(entries).map((entry) => entry.replace(/^\./, 'sluice'))
const readme = join(root, 'README.md')

/** The examples of the pages that users copy from. */
const pages = ['README.md', 'docs/embed.md', ...globSync('docs/library/*.md', { cwd: root })]
const documented = pages.flatMap((page) =>
  codeBlocks(join(root, page), 'ts').map(
    ([, code], index): [page: string, number: number, code: string] => [page, index + 1, code],
  ),
)

/** The scopes of the token that the quickstart creates: they must be enough for its example. */
const quickstartScopes = z
  .array(scope)
  .parse(
    /keys add quickstart --scopes ([\w,]+)/.exec(readFileSync(readme, 'utf8'))?.[1]?.split(','),
  )

/** Commands of the README that need no agent. */
const commands = codeBlocks(readme, 'sh')
  .flatMap(([, code]) => code.split('\n'))
  .map((line) => line.replace(/\s+#.*$/, ''))
  .filter((line) => /^sluice (?:agents|decode|corpus|sessions)/.test(line))

describe('the packed package', () => {
  let installed: InstalledPackage
  beforeAll(async () => {
    installed = await installPackage()
  }, 300_000)
  afterAll(() => installed.remove())

  // The Node that runs the tests comes first: the machine's own may be too old.
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter)
  const inProject = (command: string, args: string[], options: Parameters<typeof run>[2] = {}) =>
    run(command, args, {
      cwd: installed.directory,
      ...options,
      env: { ...process.env, PATH: path, ...options.env },
    })
  const program = () => join(installed.directory, 'node_modules/.bin/sluice')

  test('exports the entries that the build makes, and no others', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const expected = Object.fromEntries(
      Object.entries(entries).map(([name, file]) => [
        name,
        { types: `./dist/types/${file}.d.ts`, default: `./dist/${file}.js` },
      ]),
    )
    expect(exports).toEqual({
      ...expected,
      './schema/events.json': './schema/events.json',
      './package.json': './package.json',
    })
  })

  test('prints its version', async () => {
    const { stdout } = await inProject(program(), ['--version'])
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test('decodes a stream', async () => {
    const input = recording('claude/2.1.325/bash').bytes()
    const { stdout } = await inProject(program(), ['decode', 'claude', '--out', 'text'], { input })
    expect(stdout).toContain('The command printed hello and Linux.')
  })

  test('every entry exports only names that its types declare', async () => {
    const list = `Object.keys(await import(specifier)).filter((name) => name !== 'default')`
    const script = `const names = {}
      for (const specifier of ${JSON.stringify(specifiers)}) names[specifier] = ${list}
      console.log(JSON.stringify(names))`
    const { stdout, stderr } = await inProject(process.execPath, [
      '--input-type=module',
      '-e',
      script,
    ])
    expect(stderr).toBe('')
    const exported: Record<string, string[]> = JSON.parse(stdout)
    expect(
      Object.values(exported).flatMap((names) => names.filter((name) => name.length < 2)),
    ).toEqual([])
    const files = Object.entries(exported).map(([specifier, names], index) => {
      const all = names.join(', ')
      const code = `import { ${all} } from '${specifier}'\nexport const names = [${all}]\n`
      writeFileSync(join(installed.directory, `names${index}.ts`), code)
      return `names${index}.ts`
    })
    expect(await typeErrors(files, 'nodenext')).toBe('')
  })

  /** What tsc reports for files of the project, without `skipLibCheck`. */
  const typeErrors = async (files: string[], resolution: 'nodenext' | 'bundler') => {
    const modules = resolution === 'nodenext' ? 'nodenext' : 'esnext'
    const options = ['--noEmit', '--strict', '--target', 'es2024', '--lib', 'es2024,dom']
    const found = ['--module', modules, '--moduleResolution', resolution]
    const node = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node']
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { stdout } = await inProject(process.execPath, [
      ...[tsc, ...options, ...found, ...node, ...files],
    ])
    return stdout
  }

  test.each(['nodenext', 'bundler'] as const)('all types check under %s', async (resolution) => {
    const lines = specifiers.map((each, index) => `export * as entry${index} from '${each}'`)
    writeFileSync(join(installed.directory, 'all.ts'), lines.join('\n'))
    copyExamples()
    const examples = globSync('examples/**/*.ts', { cwd: installed.directory })
    expect(await typeErrors(['all.ts', ...examples], resolution)).toBe('')
  })

  test('publint and arethetypeswrong find nothing', async () => {
    const { messages, pkg } = await publint({ pkgDir: installed.path, level: 'suggestion' })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
    const tarball = createPackageFromTarballData(readFileSync(installed.tarball))
    const analysis = await checkPackage(tarball)
    const problems = analysis.types ? analysis.problems : ['no types']
    // The package is for ES modules: CommonJS and `moduleResolution: node` are not supported.
    const isOurs = (problem: object) =>
      !('resolutionKind' in problem && /node10|cjs/.test(String(problem.resolutionKind)))
    expect(problems.filter((problem) => typeof problem === 'string' || isOurs(problem))).toEqual([])
  })

  test('has a source map for every bundle', () => {
    const bundles = globSync('dist/{*,*/*,*/*/*}.js', { cwd: installed.path }).filter(
      (file) =>
        !file.startsWith('dist/web') &&
        !/^dist\/agents\/(?:pi\/(?:gate|ask)|sluice-hook|connect-hook)\.js$/.test(file),
    )
    expect(bundles.length).toBeGreaterThan(20)
    const missing = bundles.filter((file) => {
      const lines = readFileSync(join(installed.path, file), 'utf8').split('\n')
      const hasCode = lines.some((line) => line !== '' && !/^(?:import|export|\/\/) ?/.test(line))
      const isOurs = !file.endsWith('rolldown-runtime.js')
      return hasCode && isOurs && !existsSync(join(installed.path, `${file}.map`))
    })
    expect(missing).toEqual([])
  })

  test('has the license of every package that is bundled', () => {
    const maps = globSync('dist/**/*.map', { cwd: installed.path })
    const sources = maps.flatMap((file): string[] => {
      const { sources } = JSON.parse(readFileSync(join(installed.path, file), 'utf8'))
      return sources
    })
    const packages = new Set(
      sources.flatMap((source) => {
        const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? []
        return name ?? []
      }),
    )
    expect(packages.size).toBeGreaterThan(5)
    const licenses = readFileSync(join(installed.path, 'THIRD_PARTY_LICENSES'), 'utf8')
    expect([...packages].filter((name) => !licenses.includes(`\n${name} `))).toEqual([])
    // The web app is minified without maps: these are its largest parts.
    for (const name of ['react', 'react-dom', 'marked', 'lowlight'])
      expect(licenses).toContain(`\n${name} `)
  })

  test('contains every file that its pages link to', () => {
    const pages = globSync('{*.md,docs/**/*.md,examples/*.md}', { cwd: installed.path })
    expect(pages).toContain('README.md')
    const dead = pages.flatMap((page) =>
      linkedFiles(installed.path, page)
        .filter((file) => !existsSync(join(installed.path, file)))
        .map((file) => `${page} → ${file}`),
    )
    expect(dead).toEqual([])
  })

  /** Starts the server of the installed package. */
  const startServer = async () => {
    const directories = createServerDirectories()
    const main = join(installed.path, 'bin/sluice.js')
    const args = ['--root', installed.directory]
    const server = await startServerProcess(directories, { main, args })
    onTestFinished(async () => {
      await server.stop()
      directories.remove()
    })
    return server
  }

  test('serves the web app and the API', async () => {
    const server = await startServer()
    const page = await fetch(`${server.url}/`)
    expect(await page.text()).toContain('<div id="root">')
    expect(await server.client.agents.list()).toContainEqual(
      expect.objectContaining({ name: 'demo', isInstalled: true }),
    )
  })

  test.each(documented)('%s, example %i runs', async (_page, _number, code) => {
    const server = code.includes('sluice/client') ? await startServer() : undefined
    const key = await server?.client.keys.create({ name: 'quickstart', scopes: quickstartScopes })
    const env = { SLUICE_TOKEN: key?.key, HOME: installed.directory }
    const example = code.replace('http://127.0.0.1:3000', server?.url ?? '')
    writeFileSync(join(installed.directory, 'run.ndjson'), recording('claude/2.1.325/bash').bytes())
    writeFileSync(join(installed.directory, 'example.ts'), example)
    const result = await inProject(process.execPath, ['example.ts'], { env })
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(result.stdout).not.toBe('')
  })

  test.each(commands)('the README’s command runs: %s', async (command) => {
    const bin = join(installed.directory, 'node_modules/.bin')
    const env = { PATH: [bin, path].join(delimiter), HOME: installed.directory }
    writeFileSync(join(installed.directory, 'run.ndjson'), recording('claude/2.1.325/bash').bytes())
    const recordings = 'recordings/pi/0.84.0'
    cpSync(join(root, recordings), join(installed.directory, recordings), { recursive: true })
    const projects = join(installed.directory, '.claude/projects/-home-me-shop')
    mkdirSync(projects, { recursive: true })
    const sessionFile = recording('claude-session-file/2.1.325/p-text').bytes()
    writeFileSync(join(projects, '3f2a7c1e-0000-4000-8000-000000000000.jsonl'), sessionFile)
    const result = await inProject('bash', ['-c', command], { env })
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(result.stdout).not.toBe('')
  })

  const copyExamples = () =>
    cpSync(join(root, 'examples'), join(installed.directory, 'examples'), { recursive: true })

  const exampleOutputs: [file: string, output: string[]][] = [
    ['embed.ts', ['web app: http://127.0.0.1:', 'tool: ', ' events']],
    ['bus-subscriber.ts', ['started: ', 'text: ', 'asked: ']],
    ['handler-script.ts', ['> Bash', 'The command printed hello and Linux.', 'turns, $']],
  ]
  test.each(exampleOutputs)('examples/%s runs', async (file, output) => {
    copyExamples()
    const input = recording('claude/2.1.325/bash').bytes()
    const env = { SLUICE_DEMO_PACE: '0' }
    const { code, stdout, stderr } = await inProject(process.execPath, [join('examples', file)], {
      input,
      env,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const each of output) expect(stdout).toContain(each)
  })

  test('examples/client-page follows a session in a browser', async ({ skip }) => {
    const { browser, reason } = await tryChromium()
    if (!browser) {
      process.stdout.write(`skipped: the example of a page: ${reason}\n`)
      return skip(reason)
    }
    onTestFinished(() => browser.close())
    copyExamples()
    const server = await startServer()
    await server.client.projects.create({ name: 'page', path: installed.directory })
    process.env.SLUICE_URL = server.url
    process.env.SLUICE_TOKEN = server.token
    const page = join(installed.directory, 'examples/client-page')
    const vite = await createServer({ root: page, logLevel: 'error', server: { port: 0 } })
    onTestFinished(() => vite.close())
    await vite.listen()
    const tab = await browser.newPage()
    await tab.goto(vite.resolvedUrls?.local[0] ?? '')
    await tab.getByLabel('Prompt').fill('hello')
    await tab.getByLabel('Prompt').press('Enter')
    await tab.getByText('user: hello').waitFor()
    await tab.getByText('assistant: ').waitFor()
    expect(await tab.locator('#status').textContent()).toMatch(/^(?:working|idle)$/)
  })
})

test('an old Node is named in one line, and the exit code is 2', async () => {
  const old = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.1.0"})'
  const { code, stdout, stderr } = await run(process.execPath, [
    '--import',
    old,
    join(root, 'bin/sluice.js'),
  ])
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: 'sluice needs Node 22.19 or newer; this is 20.1.0.\n',
  })
})
