import type { StartOptions } from '../../events/types.ts'
import { modeSettings } from './modes.ts'

/** The start options that a one-shot run of Codex has. */
export const codexOneShotOptions = ['mode', 'thinkingLevel', 'directories'] as const

/** The flags of these options. */
export const codexStartFlags = (start: StartOptions = {}): string[] => {
  const { mode, thinkingLevel, directories = [] } = start
  const settings = mode === undefined ? undefined : modeSettings(mode)
  return [
    // It asks nobody: commands that a person would have to allow must not change anything.
    ...(settings
      ? [`--sandbox=${settings.approvalPolicy === 'untrusted' ? 'read-only' : settings.sandbox}`]
      : []),
    ...(thinkingLevel === undefined ? [] : [`--config=model_reasoning_effort="${thinkingLevel}"`]),
    ...directories.map((directory) => `--add-dir=${directory}`),
  ]
}
