import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { endpoints } from '../src/http/endpoints.ts'
import { temporaryDirectory } from './log/samples.ts'
import { findProgram, natsServer } from './support/debian-program.ts'
import { root, sluice } from './support/sluice.ts'

const directory = join(root, 'examples/cluster')
const read = (name: string): string => readFileSync(join(directory, name), 'utf8')

/** All options in a text: `--nats`, `--node`, and so on. */
const optionsIn = (text: string): string[] => text.match(/(?<=[\s"'])--[a-z][a-z-]*/g) ?? []

test('the files for a cluster name only options that exist', async () => {
  const { stdout } = await sluice(['serve', '--help'])
  const known = new Set(stdout.match(/--[a-z][a-z-]*/g))
  const texts = [
    read('sluice-node.service').match(/^ExecStart=.*$/m)?.[0] ?? '',
    JSON.stringify(commandsIn(parse(read('compose.yaml'), { merge: true }))),
    JSON.stringify(argumentsIn()),
  ]
  for (const text of texts) {
    const options = optionsIn(text)
    expect(options).toContain('--nats')
    expect(options.filter((each) => !known.has(each))).toEqual([])
  }
})

/** The commands of the nodes in the file for Docker compose. */
const commandsIn = ({ services }: { services: Record<string, { command: string[] }> }): string[] =>
  Object.values(services).flatMap(({ command }) => command)

test('every object for Kubernetes has a kind and a name in the namespace', () => {
  const objects = parseAllDocuments(read('kubernetes.yaml')).map((each) => each.toJS())
  for (const { kind, metadata } of objects) {
    expect(metadata.name).toMatch(/^[a-z-]+$/)
    if (kind !== 'Namespace') expect(metadata.namespace).toBe('sluice')
  }
  expect(objects.map(({ kind }) => kind).filter((kind) => kind === 'StatefulSet')).toHaveLength(2)
})

test('Kubernetes checks nodes at the route for it, not at a page of the web app', () => {
  const probes = nodeContainers().map(({ readinessProbe }) => readinessProbe.httpGet.path)
  expect(probes).toEqual([endpoints.health.path])
})

interface NodeContainer {
  args: string[]
  readinessProbe: { httpGet: { path: string } }
}

const nodeContainers = (): NodeContainer[] =>
  parseAllDocuments(read('kubernetes.yaml'))
    .map((each) => each.toJS())
    .filter(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'sluice')
    .flatMap(({ spec }) => spec.template.spec.containers)

const argumentsIn = (): string[] => nodeContainers().flatMap(({ args }) => args)

test('nats-server accepts its configurations', () => {
  const program = findProgram(natsServer)
  if (program === undefined) return console.log('skipped: nats-server is not installed')
  const maps = parseAllDocuments(read('kubernetes.yaml')).map((each) => each.toJS())
  const inKubernetes: string = maps.find(({ kind }) => kind === 'ConfigMap').data['nats.conf']
  for (const config of [read('nats.conf'), inKubernetes]) {
    const file = join(temporaryDirectory('config'), 'nats.conf')
    writeFileSync(file, config)
    const checked = spawnSync(program, ['-t', '-c', file], {
      env: { ...process.env, NODE_NAME: 'nats-1' },
      encoding: 'utf8',
    })
    expect(checked.stderr).toContain('is valid')
  }
})
