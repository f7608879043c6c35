import type { ChangeManagedKeyRequest } from '../../contract/manage/keys.ts'
import { problem } from '../../contract/problems.ts'
import type { Limit } from '../../platform/config/spend-limits/limit.ts'
import { fromAmount } from '../../platform/config/spend-limits/limit-entry.ts'
import { findStoredLimits } from '../../platform/store/limits/stored-limits.ts'
import { invalid } from '../../tenants/people/people-services.ts'
import { readSettings } from '../limits/limit-cache.ts'
import { type LimitState, statesOf } from '../limits/limit-states.ts'
import { addLimit, changeLimit, type LimitServices, removeLimit, setLeft } from '../limits/manage-limits.ts'
import { lookUp } from '../limits/show-limits.ts'
import { spanAt } from '../limits/windows.ts'

// The balance of a key is a budget whose id follows from the id of the key, in the list of all budgets. Other budgets of the key hold
// beside it.

type Services = LimitServices & { config: { manage: { timezone: string } } }

const WINDOWS = { none: 'total', daily: 'day', weekly: 'week', monthly: 'month' } as const
type Period = keyof typeof WINDOWS
const PERIODS = Object.keys(WINDOWS) as Period[]

export type Balance = {
  /** In dollars, less what running calls may need. */
  left: number
  /** The same with it. */
  unspent: number
  amount: number
  period: Period
  isEnforced: boolean
}

/** What a request says about the balance of a key. */
type BalanceWish = Pick<
  ChangeManagedKeyRequest,
  'balance' | 'active_balance' | 'balance_reset_period' | 'balance_reset_amount'
>

/** What a balance becomes. */
type Planned = { amount: number; left: number; period: Period; isEnforced: boolean }

function idOf(key: string): string {
  return `balance-${key}`
}

/** The balances of those keys that have one. */
export async function balancesOf(keys: readonly string[], services: Services): Promise<Map<string, Balance>> {
  const stored = await findStoredLimits(services.db, keys.map(idOf))
  const limits = stored.flatMap(({ settings }) => readSettings(settings) ?? []).filter(isBalance)
  const now = services.now()
  const states = await statesOf(services.db, limits, now)
  return new Map(limits.map((limit) => [limit.appliesTo.id!, balanceOf(limit, states.get(limit.id)!)]))
}

/** An operator may have made something else of it. */
function isBalance(limit: Limit): boolean {
  const { appliesTo, unit, per } = limit
  const isOfKey = appliesTo.holder === 'key' && appliesTo.id !== null && limit.id === idOf(appliesTo.id)
  return isOfKey && unit === 'usd' && per === null && periodOf(limit) !== undefined
}

function periodOf({ window }: Limit): Period | undefined {
  return PERIODS.find((period) => WINDOWS[period] === window)
}

/** What a process holds for its next calls is not spent. */
function balanceOf(limit: Limit, { cap, buckets }: LimitState): Balance {
  const spent = buckets.reduce((sum, one) => sum + one.spent, 0)
  const held = buckets.reduce((sum, { reserved, idle }) => sum + reserved - idle, 0)
  return {
    left: fromAmount(Math.max(0, cap - spent - held), limit.unit),
    unspent: fromAmount(Math.max(0, cap - spent), limit.unit),
    amount: fromAmount(limit.amount, limit.unit),
    period: periodOf(limit)!,
    isEnforced: limit.mode === 'enforce',
  }
}

/** Throws if the request contradicts itself, before anything is changed. */
export function checkWish(wish: BalanceWish, before?: Balance): void {
  plan(wish, before)
}

/** Gives a key the balance that a request asks for. */
export async function changeBalance(key: string, wish: BalanceWish, services: Services): Promise<void> {
  const before = (await balancesOf([key], services)).get(key)
  const planned = plan(wish, before)
  if (planned === undefined) return
  const id = idOf(key)
  if (!before) await demandFree(id, services)
  if (planned === null) {
    if (before) await removeLimit('budget', id, services)
    return
  }
  const { increase, ...settings } = settingsOf(planned, services)
  const { left } = before
    ? await changeLimit('budget', { id, body: { ...settings, increase: increase ?? null } }, services)
    : await addLimit(
        'budget',
        { id, name: 'Balance', appliesTo: `key:${key}`, ...settings, ...(increase && { increase }) },
        services,
      )
  if (left !== planned.left && !isSameBut(planned, before)) await setLeft(id, planned.left, services)
}

/** Whether only its enforcement changes. */
function isSameBut({ amount, left, period }: Planned, before: Balance | undefined): boolean {
  return before?.amount === amount && before.unspent === left && before.period === period
}

async function demandFree(id: string, services: Services): Promise<void> {
  const { limit } = await lookUp(id, services)
  if (!limit) return
  const message = `The budget '${id}' of this key was changed by an operator. Change it at /admin/budgets.`
  throw problem('conflict', { message })
}

/** Undefined if nothing changes, null if the key has no balance any more. */
function plan(wish: BalanceWish, before: Balance | undefined): Planned | null | undefined {
  const { active_balance: active, balance_reset_period: named } = wish
  const [balance, resetAmount] = [dollars(wish.balance), dollars(wish.balance_reset_amount)]
  const period = named ?? before?.period ?? 'none'
  if (wish.balance === null && !named) return null
  if (period === 'none') {
    if (resetAmount !== undefined) throw invalid('balance_reset_amount', 'Only a balance with a period is reset')
    const left = balance ?? before?.unspent
    if (left === undefined || (balance === undefined && !named && active == null)) return undefined
    const amount = balance ?? (before?.period === 'none' ? before.amount : left)
    return { amount, left, period, isEnforced: active ?? before?.isEnforced ?? true }
  }
  const amount = resetAmount ?? (before?.period === 'none' ? undefined : before?.amount)
  if (amount === undefined)
    throw invalid('balance_reset_amount', 'A period needs the amount that the balance is reset to')
  if (amount === 0) throw invalid('balance_reset_amount', 'Input should be more than 0')
  const isSame = balance === undefined && resetAmount === undefined && !named && active == null
  if (isSame) return undefined
  return {
    amount,
    left: balance ?? before?.unspent ?? amount,
    period,
    isEnforced: named ? true : (active ?? before!.isEnforced),
  }
}

function dollars(amount: string | number | null | undefined): number | undefined {
  return amount == null ? undefined : Number(amount)
}

/** More than the amount can be left of a period only for the rest of it. */
function settingsOf({ amount, left, period, isEnforced }: Planned, { config, now }: Services) {
  const { timezone } = config.manage
  const window = WINDOWS[period]
  const mode = isEnforced ? ('enforce' as const) : ('shadow' as const)
  if (period === 'none' || left <= amount)
    return { limit: Math.max(amount, left), window, timezone, mode, increase: undefined }
  const until = new Date(spanAt(window, timezone, now()).end).toISOString()
  return { limit: amount, window, timezone, mode, increase: { amount: left - amount, until } }
}
