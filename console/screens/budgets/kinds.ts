/** Budgets and rate limits are the same in two lists. The parameter of the address opens one of them. */
export type LimitKind = {
  path: '/admin/budgets' | '/admin/rate-limits'
  word: string
  title: string
  parameter: string
}

export const BUDGET: LimitKind = { path: '/admin/budgets', word: 'budget', title: 'Budgets', parameter: 'budget' }
export const RATE_LIMIT: LimitKind = {
  path: '/admin/rate-limits',
  word: 'rate limit',
  title: 'Rate limits',
  parameter: 'rate_limit',
}
