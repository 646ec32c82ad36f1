// THIRD_PARTY_LICENSES: the licenses of every package whose code is inside dist/.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const bundled = z.array(
  z.object({
    name: z.string(),
    version: z.string(),
    identifier: z.string().nullish(),
    text: z.string().nullish(),
  }),
)

/** Where Vite writes the licenses of one bundle, below its output directory. */
export const licenseFile = (bundle: string): string => `.licenses/${bundle}.json`

/** Joins what Vite wrote for each bundle into one file, and removes the parts. */
export const writeLicenses = (dist: string, file: string): void => {
  const packages = new Map<string, z.infer<typeof bundled>[number]>()
  for (const part of globSync('**/.licenses/*.json', { cwd: dist }))
    for (const each of bundled.parse(JSON.parse(readFileSync(join(dist, part), 'utf8'))))
      packages.set(`${each.name} ${each.version}`, each)
  for (const folder of globSync('**/.licenses', { cwd: dist }))
    rmSync(join(dist, folder), { recursive: true })
  const missing = [...packages].filter(([, { text }]) => !text).map(([name]) => name)
  if (missing.length > 0) throw new Error(`No license text for ${missing.join(', ')}`)
  const sections = [...packages]
    .toSorted(([left], [right]) => left.localeCompare(right))
    .map(
      ([name, { identifier, text }]) => `${name} (${identifier ?? 'see text'})\n\n${text?.trim()}`,
    )
  writeFileSync(file, `${[introduction, ...sections].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}

const introduction = `Sluice contains code of the packages below. Each is used under its own license.`

/** The licenses of one bundle as a text. Packages with the same license text share it. */
export const licenseText = (json: string): string => {
  const packages = bundled.parse(JSON.parse(json))
  const byText = Map.groupBy(packages, ({ text }) => text?.trim() ?? '')
  const sections = [...byText].map(
    ([text, sharing]) =>
      `${sharing.map(({ name, version }) => `${name} ${version}`).join(', ')}\n\n${text}`,
  )
  return [introduction, ...sections].join('\n\n')
}
