import type { Row } from './row.ts'

// What is said about columns that several tables have.

export const BUDGET =
  'is a budget. Models without a price cost nothing under it, as in LiteLLM, until `assume` is removed from the budget'
export const DURATION =
  '`1d`, `7d`, `30d` and `1mo` are a day, a week, a month; another length becomes the most similar window, with the same amount for the same time'
export const RESET = 'what was spent in a window that is over does not count'
export const SPEND = 'is what the open window of the budget has spent already'
export const RPM = 'is a rate limit of requests in a minute'
export const TPM = 'is a rate limit of tokens in a minute'
export const TPD = 'is a rate limit of tokens in a day'
export const PARALLEL = 'is a rate limit of concurrent calls'
export const MODEL_BUDGETS = 'are budgets for the models of that name; their windows begin with 0'
export const MODEL_SPEND = 'is not kept up to date by LiteLLM; budgets for models begin with 0'
export const FURTHER_BUDGETS = 'are further budgets; their windows begin with 0'
export const SHARED_BUDGET = 'its budget and limits, where the row itself has none'
export const SOFT = 'is an alert of the budget at that fraction; without a `max_budget` it is left out'
export const PERMISSIONS = 'permissions for MCP servers, vector stores and agents are not taken over'
export const POLICIES = 'policies of guardrails: make guardrails of the project (docs/guardrails.md)'
export const ACCESS_GROUPS = 'groups in the database are not read: name the models'
export const ROUTER = 'aliases have targets and fallbacks for everybody'
export const CACHE_CONTROLS = 'there is no cache of answers'
export const METADATA = 'limits by model are taken over; tags, guardrails and the rest are not'
const LOG = 'the audit log begins with the import'

export const CREATED: readonly Row[] = [
  ['created_at', 'approximate', 'keys keep it; what else is made begins with the import'],
  ['created_by', 'approximate', LOG],
  ['updated_at', 'approximate', LOG],
  ['updated_by', 'approximate', LOG],
]
