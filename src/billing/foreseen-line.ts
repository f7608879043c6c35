import type { LedgerLine } from '../store/ledger/ledger-line.ts'
import type { RequestDetail } from '../store/ledger/request-detail.ts'
import { lineFrom, valuesOf } from './journal-line.ts'
import { withoutDust } from './token-buckets.ts'

/**
 * The line that a running call gets if its process dies: what it says now, and what it would say at later moments. What it costs
 * grows evenly from each moment to the next one, and no more after the last one.
 */
export type ForeseenLine = readonly Moment[]

type Moment = { readonly afterMs: number; readonly line: LedgerLine }
type Numbers = Readonly<Record<string, number>>

/** One line of text. */
export function encodeForeseen(foreseen: ForeseenLine): string {
  return `${JSON.stringify(foreseen.map(({ afterMs, line }) => [afterMs, valuesOf(line)]))}\n`
}

/** Undefined if these are not the values of one. */
export function foreseenFrom(values: readonly unknown[]): ForeseenLine | undefined {
  const moments = values.flatMap((value): Moment[] => {
    const [afterMs, ofLine] = Array.isArray(value) ? (value as unknown[]) : []
    const line = lineFrom(ofLine)
    return line && typeof afterMs === 'number' ? [{ afterMs, line }] : []
  })
  return moments.length > 0 && moments.length === values.length ? moments : undefined
}

/** The line of a call whose process lived until this moment. */
export function lineAt(foreseen: ForeseenLine, moment: number): LedgerLine {
  const first = foreseen[0]!.line
  const passedMs = Math.max(0, moment - first.at)
  const next = foreseen.findIndex(({ afterMs }) => afterMs > passedMs)
  const line = next === -1 ? foreseen.at(-1)!.line : between(foreseen[next - 1]!, foreseen[next]!, passedMs)
  return { ...line, at: first.at + passedMs, durationMs: first.durationMs + passedMs }
}

function between({ afterMs: from, line }: Moment, { afterMs: to, line: later }: Moment, ms: number): LedgerLine {
  const grown = (one: number, other: number) => one + ((other - one) * (ms - from)) / (to - from)
  const whole = (one: number, other: number) => Math.ceil(grown(one, other))
  const dollars = (one: number, other: number) => withoutDust(grown(one, other))
  const tokens = (name: TokenCount) => whole(line[name], later[name])
  return {
    ...line,
    promptTokens: tokens('promptTokens'),
    cachedTokens: tokens('cachedTokens'),
    cacheWriteTokens: tokens('cacheWriteTokens'),
    completionTokens: tokens('completionTokens'),
    reasoningTokens: tokens('reasoningTokens'),
    cost: line.cost === null || later.cost === null ? null : dollars(line.cost, later.cost),
    estimated: line.estimated || later.estimated,
    moreTokens: later.moreTokens && grownMembers(line.moreTokens, later.moreTokens, whole),
    detail: line.detail && later.detail && grownDetail(line.detail, later.detail, dollars),
    charges: later.charges?.map(([limit, bucket, start, amount, processName]) => {
      const before = line.charges?.find((one) => one[0] === limit && one[1] === bucket && one[2] === start)
      return [limit, bucket, start, Math.round(grown(before?.[3] ?? 0, amount)), processName]
    }),
  }
}

type TokenCount = 'promptTokens' | 'cachedTokens' | 'cacheWriteTokens' | 'completionTokens' | 'reasoningTokens'
type Grow = (one: number, other: number) => number

function grownMembers(before: Numbers | null | undefined, after: Numbers, grow: Grow): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, amount]) => [name, grow(before?.[name] ?? 0, amount)]))
}

/** What the cost is made of, and what limits have counted. */
function grownDetail(detail: RequestDetail, { c, l }: RequestDetail, grow: Grow): RequestDetail {
  return {
    ...detail,
    ...(c && { c: grownMembers(detail.c, c, grow) }),
    ...(l && { l: l.map(([limit, unit, used], index) => [limit, unit, grow(detail.l?.[index]?.[2] ?? 0, used)]) }),
  }
}
