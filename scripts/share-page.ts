// The page that `sluice share` writes sessions into: one file with the script and the styles inside, and
// a policy that lets it load nothing else. Built with the web app, from its components.
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'
import { licenseFile, licenseText } from './licenses.ts'

const root = join(import.meta.dirname, '..')

/** Builds the page into a file. The session goes in place of `SESSION`, the title of `TITLE`. */
export const buildSharePage = async (file: string): Promise<void> => {
  const { build } = await import('vite') // large: loaded only when there is something to build
  const built = await build({
    configFile: join(root, 'web', 'vite.config.ts'),
    logLevel: 'warn',
    publicDir: false,
    plugins: [withoutRareGrammars],
    build: {
      write: false,
      cssCodeSplit: false,
      license: { fileName: licenseFile('share') },
      rolldownOptions: {
        input: join(root, 'web', 'share.html'),
        output: { codeSplitting: false },
        checks: { bundlerTimings: false },
      },
    },
  })
  const outputs = [built].flat().flatMap((each) => ('output' in each ? each.output : []))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, assemble(outputs))
}

/** Code in these languages has no colours in a shared page, which is 60 kB smaller for it. */
const withoutRareGrammars: Plugin = {
  name: 'without-rare-grammars',
  load(id) {
    const [, name] = /highlight\.js\/\w+\/languages\/([\w-]+)\.js$/.exec(id) ?? []
    return name !== undefined && rareGrammars.has(name)
      ? `export default () => ({ name: '${name}', contains: [] })`
      : undefined
  },
}

const rareGrammars = new Set([
  ...['arduino', 'graphql', 'less', 'lua', 'objectivec', 'perl', 'php-template', 'python-repl'],
  ...['r', 'scss', 'swift', 'vbnet', 'wasm'],
])

const assemble = (outputs: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]): string => {
  const scripts = outputs.flatMap((each) => (each.type === 'chunk' ? [each.code] : []))
  const styles = outputs.flatMap((each) =>
    each.type === 'asset' && each.fileName.endsWith('.css') ? [String(each.source)] : [],
  )
  const [script = '', ...others] = scripts
  if (others.length > 0) throw new Error('The shared page has more than one script.')
  // A script ends at the first `</script`, also inside a string.
  const code = script.replaceAll(/<\/(?=script)/gi, '<\\/').replaceAll('<!--', '<\\!--')
  const style = styles.join('\n')
  const policy = [
    `default-src 'none'`,
    `script-src '${hashOf(code)}'`,
    `style-src '${hashOf(style)}'`,
    `img-src data: blob:`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>TITLE</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<style>${style}</style>
</head>
<body>
<div id="root"></div>
<noscript>This page replays a session of a coding agent. It needs JavaScript.</noscript>
<script type="application/octet-stream" id="session">SESSION</script>
<script type="module">${code}</script>
<!--
${licensesIn(outputs)}
-->
</body>
</html>
`
}

const hashOf = (text: string): string =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`

/** A copy of the page is a copy of the code in it, so the licenses are in the page. */
const licensesIn = (outputs: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]): string => {
  const found = outputs.find((each) => each.fileName === licenseFile('share'))
  if (found?.type !== 'asset') throw new Error('Vite wrote no licenses of the shared page.')
  return licenseText(String(found.source)).replaceAll('--', '- -')
}
