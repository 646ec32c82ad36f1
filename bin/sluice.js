#!/usr/bin/env node
// Written for any Node, so that an old one can be told in a sentence.
const wanted = [22, 19]
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < wanted[0] || (major === wanted[0] && minor < wanted[1])) {
  process.stderr.write(
    `sluice needs Node ${wanted.join('.')} or newer; this is ${process.versions.node}.\n`,
  )
  process.exit(2)
}
import('../dist/cli/main.js').catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(70)
})
