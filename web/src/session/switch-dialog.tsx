import { useState } from 'react'
import type { AgentSwitch } from '../../../src/events/types.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import '../style/start.css'

interface Props {
  id: string
  /** Display name of the agent. */
  agent: string
  switches: readonly AgentSwitch[]
  onClose: () => void
}

/** Switches on and off what an agent does by itself. */
export const SwitchDialog = ({ id, agent, switches, onClose }: Props) => {
  const { client, followed } = useApp()
  const { transcript } = useStore(followed.of(id))
  const [problem, setProblem] = useState<string>()
  const set = (name: AgentSwitch, isOn: boolean) => {
    setProblem(undefined)
    client.sessions
      .switches(id, { [name]: isOn })
      .catch((cause: unknown) => setProblem(reasonOf(cause)))
  }
  return (
    <Dialog title="Automatic actions" onClose={onClose}>
      <form>
        {switches.map((name) => (
          <fieldset key={name} className="agent-switch">
            <legend>{names[name].label}</legend>
            <span className="choice-about">{names[name].about}</span>
            {[true, false].map((isOn) => (
              <button
                key={String(isOn)}
                type="button"
                className={transcript?.[name] === isOn ? 'primary' : undefined}
                aria-pressed={transcript?.[name] === isOn}
                onClick={() => set(name, isOn)}
              >
                {isOn ? 'On' : 'Off'}
              </button>
            ))}
          </fieldset>
        ))}
        <p className="choice-about">
          {agent} stores these settings. They hold for all its sessions on this machine.
        </p>
        <ProblemMessage reason={problem} />
      </form>
    </Dialog>
  )
}

const names: Record<AgentSwitch, { label: string; about: string }> = {
  autoCompaction: {
    label: 'Automatic compaction',
    about: 'Summarizes the conversation when it gets long.',
  },
  autoRetry: {
    label: 'Automatic retries',
    about: 'Calls the model again after an error.',
  },
}
