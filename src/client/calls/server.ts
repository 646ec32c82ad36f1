import type {
  AgentConversationList,
  AgentInfo,
  AgentList,
  CostQuery,
  CostReport,
  Health,
  PriceChange,
  PriceQuery,
  PriceReport,
  SearchResult,
} from '../../api/types.ts'
import { ApiError } from '../api-error.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { hasFields } from '../response.ts'
import { path } from '../transport.ts'

export interface SearchCallOptions extends CallOptions {
  /** How many matches at most. Default: 50. */
  limit?: number
}

/** Calls about the server as a whole. */
export interface ServerCalls {
  /** Returns the state and version of the server, also while it refuses commands. Needs no token. */
  health(options?: CallOptions): Promise<Health>
  /** Finds a phrase in all sessions. */
  search(phrase: string, options?: SearchCallOptions): Promise<SearchResult>
  /** Returns what sessions have cost, by day or by something else. */
  cost(query?: CostQuery, options?: CallOptions): Promise<CostReport>
  /** Returns the prices that were set here, and those of models that match a search. */
  prices(query?: PriceQuery, options?: CallOptions): Promise<PriceReport>
  /** Sets the price of a model, or removes the one that was set. */
  setPrice(change: PriceChange, options?: CallOptions): Promise<PriceReport>
}

/** Calls about agents. */
export interface AgentCalls {
  /** Returns the agents that the server supports, and which of them are installed. */
  list(options?: CallOptions): Promise<AgentInfo[]>
  /** Returns the conversations that an agent itself has stored for a project. Starts the agent. */
  conversations(
    agent: string,
    projectId: string,
    options?: CallOptions,
  ): Promise<AgentConversationList>
}

/** Calls about large values, which events replace by a hash. */
export interface BlobCalls {
  /** Returns the content of a blob, with its media type. */
  get(hash: string, options?: CallOptions): Promise<Blob>
}

const isHealth = hasFields<Health>('status', 'version')
const isConversationList = hasFields<AgentConversationList>('conversations', 'canContinue')
const isAgentList = hasFields<AgentList>('agents')
const isCostReport = hasFields<CostReport>('rows', 'total', 'models')
const isPriceReport = hasFields<PriceReport>('models', 'more')
const isSearchResult = hasFields<SearchResult>('hits', 'searched')

export const serverCalls = (caller: Caller): ServerCalls => ({
  async health(options) {
    try {
      return await caller.json({ path: 'health' }, isHealth, options)
    } catch (cause) {
      // While it refuses commands, the server responds 503 with the reasons.
      if (cause instanceof ApiError && isHealth(cause.body)) return cause.body
      throw cause
    }
  },
  search: (phrase, { limit, ...options } = {}) =>
    caller.json({ path: 'search', query: { q: phrase, limit } }, isSearchResult, options),
  cost: (query = {}, options) =>
    caller.json({ path: 'cost', query: { ...query } }, isCostReport, options),
  prices: (query = {}, options) =>
    caller.json({ path: 'prices', query: { ...query } }, isPriceReport, options),
  setPrice: (body, options) =>
    caller.json({ method: 'PATCH', path: 'prices', body }, isPriceReport, options),
})

export const agentCalls = (caller: Caller): AgentCalls => ({
  list: async (options) => (await caller.json({ path: 'agents' }, isAgentList, options)).agents,
  conversations: (agent, projectId, options) =>
    caller.json(
      { path: path`agents/${agent}/conversations`, query: { projectId } },
      isConversationList,
      options,
    ),
})

export const blobCalls = (caller: Caller): BlobCalls => ({
  get: (hash, options) => caller.bytes({ path: path`blobs/${hash}` }, options),
})
