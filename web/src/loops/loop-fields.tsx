import { LimitField } from '../limits/limit-fields.tsx'
import type { LoopChoice } from './use-new-loop.ts'

interface Props {
  choice: LoopChoice
  onChange: (change: Partial<LoopChoice>) => void
}

/** The prompt of a loop, typed or in a file of the project, and the line that ends the loop. */
export const PromptFields = ({ choice, onChange }: Props) => (
  <>
    <label>
      Prompt
      <textarea
        rows={4}
        value={choice.prompt}
        onChange={(event) => onChange({ prompt: event.target.value })}
        placeholder="What each iteration works on"
      />
    </label>
    <div className="limit-fields">
      <label>
        or a prompt file
        <input
          value={choice.promptFile}
          onChange={(event) => onChange({ promptFile: event.target.value })}
          placeholder="PROMPT.md"
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <label>
        Promise
        <input
          value={choice.promise}
          onChange={(event) => onChange({ promise: event.target.value })}
          placeholder="LOOP_COMPLETE"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
        />
      </label>
    </div>
  </>
)

/** When iterations start. */
export const ScheduleFields = ({ choice, onChange }: Props) => (
  <fieldset className="loop-limits">
    <legend>
      Schedule <span className="optional">optional; otherwise one follows the other</span>
    </legend>
    <div className="limit-fields">
      <LimitField
        label="Every"
        placeholder="30m"
        value={choice.every}
        onChange={(every) => onChange({ every })}
      />
      <LimitField
        label="Cron"
        placeholder="0 3 * * *"
        value={choice.cron}
        onChange={(cron) => onChange({ cron })}
      />
    </div>
  </fieldset>
)
