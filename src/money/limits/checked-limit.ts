import type { Limit, LimitKind } from '../../platform/config/spend-limits/limit.ts'
import { type LimitEntry, limitOf } from '../../platform/config/spend-limits/limit-entry.ts'
import { problem } from '../../contract/problems.ts'
import { spellingOf } from './limit-body.ts'

/** The limit that a body of the admin API describes. Throws what is wrong with it, in the words of that API. */
export function checkedLimit(entry: LimitEntry, kind: LimitKind): Limit {
  const limit = limitOf(entry, kind, 'api')
  if (!Array.isArray(limit)) return limit
  const detail = limit.map((fault) => ({ loc: ['body', spellingOf(fault)], msg: fault.msg, type: 'value_error' }))
  const { loc, msg } = detail[0]!
  throw problem('validation_error', { message: `${loc[1]}: ${msg}`, param: loc[1]!, detail })
}
