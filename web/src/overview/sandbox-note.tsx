import type { SandboxInfo } from '../../../src/api/index.ts'
import { describeSandbox } from './describe-sandbox.ts'

const page = 'https://github.com/sluice-dev/sluice/blob/main/docs/sandbox.md'

/** Says whether agents run in a sandbox on the machine of the server; loud only if they do not. */
export const SandboxNote = ({ sandbox }: { sandbox: SandboxInfo | undefined }) =>
  sandbox && (
    <p className={sandbox.mode === 'off' ? 'sandbox-note sandbox-off' : 'sandbox-note'}>
      {describeSandbox(sandbox)}{' '}
      <a href={page} target="_blank" rel="noreferrer">
        What this means
      </a>
    </p>
  )
