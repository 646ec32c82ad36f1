// Makes dist/: one bundle for each public entry and one for the program, with shared code in chunks, the
// web app, and the types.
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'vite'
import { leanBuiltins } from './lean-builtins.ts'
import { buildWeb } from './web.ts'

const root = join(import.meta.dirname, '..')
const source = (path: string) => join(root, 'src', path)

interface Bundle {
  /** By the names of their files. */
  input: Record<string, string>
  /** Where shared code goes. */
  chunks: string
  plugins?: Plugin[]
}

const bundle = ({ input, chunks, plugins = [] }: Bundle) =>
  build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins,
    // Everything but Zod is bundled: what a program decodes with must start fast.
    ssr: { noExternal: true, external: ['zod'] },
    build: {
      ssr: true,
      target: 'node22',
      minify: false,
      emptyOutDir: false,
      rolldownOptions: {
        output: { entryFileNames: '[name].js', chunkFileNames: `${chunks}/[name].js` },
        // That a module is loaded late by one entry and at once by another is meant.
        checks: { ineffectiveDynamicImport: false },
        input,
      },
    },
  })

rmSync(join(root, 'dist'), { recursive: true, force: true })

await bundle({
  chunks: 'chunks',
  input: {
    'events/index': source('events/index.ts'),
    'agents/index': source('agents/index.ts'),
    'handler/index': source('handler/index.ts'),
    'ledger/index': source('ledger/index.ts'),
    'api/index': source('api/index.ts'),
    'bus/index': source('bus/index.ts'),
    'log/index': source('log/index.ts'),
    'client/index': source('client/index.ts'),
    'transcript/index': source('transcript/index.ts'),
    'http/index': source('http/index.ts'),
    'session/index': source('session/index.ts'),
    'pi-sdk/attach': source('pi-sdk/attach.ts'),
  },
})

// Apart from the rest: what it shares with public entries would be nine more files to load at each start.
await bundle({
  chunks: 'program',
  plugins: [leanBuiltins()],
  input: {
    'cli/main': source('cli/main.js'),
    'agents/demo/program': source('agents/demo/program.js'),
  },
})

await buildWeb(join(root, 'dist', 'web'))

// Runs inside Pi, so it stays a file of its own.
cpSync(source('agents/pi/gate.js'), join(root, 'dist/agents/pi/gate.js'))

const tsc = join(root, 'node_modules', '.bin', 'tsc')
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
