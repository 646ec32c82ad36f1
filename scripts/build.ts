// Builds dist/: a bundle for each public entry and one for the program, with shared code in chunks; the
// web app; the types; and THIRD_PARTY_LICENSES.
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'vite'
import { z } from 'zod'
import { entries } from './entries.ts'
import { leanBuiltins } from './lean-builtins.ts'
import { licenseFile, writeLicenses } from './licenses.ts'
import { buildWeb } from './web.ts'

const root = join(import.meta.dirname, '..')
const manifest = z.object({ dependencies: z.record(z.string(), z.string()) })
const { dependencies } = manifest.parse(
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
)
const source = (path: string) => join(root, 'src', path)

interface Bundle {
  /** Source files by the names of their bundles. */
  input: Record<string, string>
  /** The folder for shared code. */
  chunks: string
  plugins?: Plugin[]
  /** Modules that share one file: many small files take longer to load. */
  together?: { name: string; test: RegExp }[]
}

const bundle = ({ input, chunks, plugins = [], together = [] }: Bundle) =>
  build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins,
    // One file loads faster than a tree of packages. NATS is loaded only by nodes of a cluster.
    ssr: { noExternal: true, external: Object.keys(dependencies) },
    build: {
      ssr: true,
      target: 'node22',
      minify: false,
      sourcemap: true,
      emptyOutDir: false,
      license: { fileName: licenseFile(chunks) },
      rolldownOptions: {
        // Without it, an entry would also export what other entries share with it.
        preserveEntrySignatures: 'strict',
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: `${chunks}/[name].js`,
          ...(together.length > 0 && { codeSplitting: { groups: together } }),
        },
        // Some modules are loaded at once by one entry and later by another.
        checks: { ineffectiveDynamicImport: false },
        input,
      },
    },
  })

rmSync(join(root, 'dist'), { recursive: true, force: true })

await bundle({
  chunks: 'chunks',
  input: Object.fromEntries(Object.values(entries).map((entry) => [entry, source(`${entry}.ts`)])),
})

// Apart from the entries: chunks shared with them would be nine more files to load at each start.
await bundle({
  chunks: 'program',
  plugins: [leanBuiltins()],
  // Each start loads the table of agents.
  together: [
    {
      name: 'agent-table',
      test: /[\\/]agents[\\/](?:[a-z]+[\\/]entry|table|known-agents|default-capabilities)\.ts$/,
    },
  ],
  input: {
    'cli/main': source('cli/main.js'),
    'agents/demo/program': source('agents/demo/program.js'),
    'http/search-worker': source('http/search/search-worker.js'),
  },
})

await buildWeb(join(root, 'dist', 'web'))
writeLicenses(join(root, 'dist'), join(root, 'THIRD_PARTY_LICENSES'))

// Agents load or start these files themselves, so they are copied and not bundled.
for (const file of ['pi/gate.js', 'pi/ask.js', 'sluice-hook.js', 'connect-hook.js'].map(
  (name) => `agents/${name}`,
))
  cpSync(source(file), join(root, 'dist', file))

const tsc = join(root, 'node_modules', '.bin', 'tsc')
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
