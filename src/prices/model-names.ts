/** A name under which the price list may have a model. */
export interface ModelName {
  id: string
  /** The provider whose list has the name; undefined: the one that made the model. */
  provider?: string
}

const maxLength = 200

/**
 * The names under which to look for a model, the best first. Agents name models as their provider does:
 * `claude-sonnet-4-5[1m]`, `anthropic/claude-sonnet-4.5` (OpenRouter),
 * `eu.anthropic.claude-sonnet-4-5-20250929-v1:0` (Bedrock) or `claude-sonnet-4-5@20250929` (Vertex).
 */
export const modelNames = (model: string): ModelName[] => {
  const id = withoutSuffix(model)
  if (id.length === 0 || id.length > maxLength) return []
  const names: ModelName[] = [{ id: id.replace('@', '-') }]
  const slash = id.indexOf('/')
  if (slash > 0) {
    names.push({ id, provider: 'openrouter' })
    names.push({ id: id.slice(slash + 1), provider: id.slice(0, slash) })
  }
  if (bedrock.test(id)) names.push({ id, provider: 'aws' })
  return names
}

/** The name without the mark of a larger context window, which does not change the model. */
export const withoutSuffix = (model: string): string => model.replace(/\[\d+[km]\]$/i, '')

const bedrock = /^(?:[a-z]+\.)?(?:anthropic|amazon|meta|mistral|deepseek|openai|qwen)\./
