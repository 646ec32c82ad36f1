import { describe, expect, test } from 'vitest'
import { cline } from '../../src/agents/cline/index.ts'
import { codex } from '../../src/agents/codex/index.ts'
import { copilot } from '../../src/agents/copilot/index.ts'
import { gemini } from '../../src/agents/gemini/index.ts'

const project = { version: '1.0.102', directory: '/home/ann/app/web', isTrusted: false }
const trusted = { ...project, isTrusted: true }

describe('Codex', () => {
  const start = (paths: string[], more = {}) =>
    codex.startInProject?.({ ...project, paths, ...more })

  test('trusts no directory with settings, and uses no skill of the project', () => {
    const paths = ['.codex/config.toml', '../.codex/rules/a.rules', '../.agents/skills/x/SKILL.md']
    expect(start([...paths, '.codex/skills/y/SKILL.md', '.codex/skills/y/run.sh'])).toEqual({
      args: [
        '-c',
        'projects={"/home/ann/app/web"={trust_level="untrusted"},"/home/ann/app"={trust_level="untrusted"}}',
        '-c',
        'skills.config=[{path="/home/ann/app/.agents/skills/x/SKILL.md",enabled=false},{path="/home/ann/app/web/.codex/skills/y/SKILL.md",enabled=false}]',
      ],
    })
  })

  test('trusts the same directories once a person does', () => {
    const paths = ['.codex/config.toml', '.agents/skills/x/SKILL.md']
    expect(codex.startInProject?.({ ...trusted, paths })).toEqual({
      args: ['-c', 'projects={"/home/ann/app/web"={trust_level="trusted"}}'],
    })
  })

  test('names of files cannot end the argument', () => {
    const path = '.codex/skills/a"}],b=[{"\\\n/SKILL.md'
    expect(start([path])?.args[1]).toBe(
      'skills.config=[{path="/home/ann/app/web/.codex/skills/a\\"}],b=[{\\"\\\\\\n/SKILL.md",enabled=false}]',
    )
  })

  test('does not start where a skill cannot be left out', () => {
    const refusal = expect.stringContaining('Trust this directory first')
    expect(start([], { isTooLarge: true })).toEqual({ args: [], refusal })
    expect(start(['.agents/skills/\uFFFD/SKILL.md'])).toEqual({ args: [], refusal })
    const many = Array.from({ length: 2000 }, (_, at) => `.agents/skills/${at}/SKILL.md`)
    expect(start(many)).toEqual({ args: [], refusal })
  })
})

test.each([copilot, cline])('$title does not start with the files of a stranger', (agent) => {
  const paths = [agent.projectPaths?.[0]?.path ?? '']
  expect(agent.startInProject?.({ ...project, paths })).toEqual({
    args: [],
    refusal: expect.stringContaining('Trust this directory first'),
  })
  expect(agent.startInProject?.({ ...trusted, paths })).toEqual({ args: [] })
})

test('a single prompt of Copilot loads the settings of a trusted project', () => {
  const paths = ['.mcp.json']
  const start = { ...trusted, paths, isOneShot: true } as const
  expect(copilot.startInProject?.(start)).toEqual({ args: ['--trust-folder'] })
  expect(copilot.startInProject?.({ ...start, version: '1.0.0' })).toEqual({ args: [] })
})

test('Gemini CLI trusts a directory that has nothing to load', () => {
  expect(gemini.emptyProjectEnv).toEqual({ GEMINI_CLI_TRUST_WORKSPACE: 'true' })
})
