import type { LimitKind } from '../../platform/config/spend-limits/limit.ts'
import type { LimitBody } from '../../contract/admin/limits.ts'
import { Problem } from '../../contract/problems.ts'
import { findLimit, listLimits } from '../../money/limits/show-limits.ts'
import type { Input } from '../command-line/command-table.ts'
import type { Terminal } from '../terminal.ts'
import { type LimitsOfStore, withLimits } from './with-limits.ts'

const PAGE = 1_000
const KINDS: readonly LimitKind[] = ['budget', 'rate_limit']

/** One line for each limit, by id. With --json, each line is a JSON object. */
export function listLimitsCommand({ values }: Input<'budgets list'>, terminal: Terminal): Promise<number> {
  return withLimits(terminal, async (limits) => {
    let count = 0
    for await (const limit of allLimits(limits)) {
      count++
      terminal.print(`${values.json ? JSON.stringify(limit) : lineOf(limit)}\n`)
    }
    if (count === 0)
      terminal.remark('There are no budgets and no rate limits yet. docs/budgets.md shows how to set one.\n')
  })
}

export function showLimitCommand({ operands }: Input<'budgets show'>, terminal: Terminal): Promise<number> {
  return withLimits(terminal, async (limits) => {
    const limit = await findLimit('budget', operands[0]!, limits).catch((error) => {
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error
      return findLimit('rate_limit', operands[0]!, limits)
    })
    terminal.print(`${JSON.stringify(limit, null, 2)}\n`)
  })
}

async function* allLimits(limits: LimitsOfStore): AsyncGenerator<LimitBody> {
  for (const kind of KINDS) {
    let cursor: string | undefined
    do {
      const page = await listLimits(kind, { limit: PAGE, cursor }, limits)
      yield* page.items
      cursor = page.next_cursor ?? undefined
    } while (cursor)
  }
}

/** The limit is the one at this moment. */
function lineOf(shown: LimitBody): string {
  const { id, applies_to, per, unit, limit, effective_limit, window, spent, left, mode, owned_by, increase } = shown
  const whose = per ? `${applies_to} per ${per}` : applies_to
  const amount = `${effective_limit} ${unit} per ${window}`
  const state = left === null ? `${spent} spent` : `${spent} spent, ${left} left`
  const raised = effective_limit > limit ? [`${increase!.amount} more until ${increase!.until}`] : []
  const notes = [owned_by, ...(mode === 'shadow' ? ['shadow'] : []), ...raised].join(', ')
  return [id.padEnd(20), whose.padEnd(24), amount.padEnd(30), state, `(${notes})`].join('  ')
}
