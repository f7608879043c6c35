import type { LedgerLine } from '../../platform/store/ledger/ledger-line.ts'
import type { RequestDetail } from '../../platform/store/ledger/request-detail.ts'
import { lineFrom, valuesOf } from './journal-line.ts'
import { withoutDust } from './token-buckets.ts'

/**
 * The line that a running call gets if its process dies: what it says now, and what grows in it. That grows evenly from each moment to
 * the next one, and no more after the last one.
 */
export type ForeseenLine = { readonly line: LedgerLine; readonly later: readonly LaterFigures[] }

type LaterFigures = { readonly afterMs: number; readonly figures: LineFigures }

/** What a line says about money and tokens. */
export type LineFigures = Pick<LedgerLine, TokenCount | 'cost' | 'moreTokens' | 'charges'> & {
  /** What the cost is made of, and what limits have counted. */
  readonly detail: Pick<RequestDetail, 'c' | 'l'>
}

type TokenCount = 'promptTokens' | 'cachedTokens' | 'cacheWriteTokens' | 'completionTokens' | 'reasoningTokens'
type Numbers = Readonly<Record<string, number>>

/** One line of text. */
export function encodeForeseen({ line, later }: ForeseenLine): string {
  return `${JSON.stringify([valuesOf(line), later])}\n`
}

/** Undefined if these are not the values of one. */
export function foreseenFrom([ofLine, later]: readonly unknown[]): ForeseenLine | undefined {
  const line = lineFrom(ofLine)
  return line && Array.isArray(later) ? { line, later: later as LaterFigures[] } : undefined
}

/** The line of a call whose process lived until this moment. */
export function lineAt({ line, later }: ForeseenLine, moment: number): LedgerLine {
  const passedMs = Math.max(0, moment - line.at)
  const moments = [{ afterMs: 0, figures: { ...line, detail: line.detail ?? {} } }, ...later]
  const next = moments.findIndex(({ afterMs }) => afterMs > passedMs)
  const isOver = next === -1
  const { detail, ...figures } = isOver
    ? moments.at(-1)!.figures
    : between(moments[next - 1]!, moments[next]!, passedMs)
  const isGrown = figures.cost !== line.cost
  return {
    ...line,
    ...figures,
    detail: { ...line.detail, ...detail },
    at: line.at + passedMs,
    durationMs: line.durationMs + passedMs,
    estimated: line.estimated || isGrown,
  }
}

function between(one: LaterFigures, other: LaterFigures, ms: number): LineFigures {
  const { figures: before } = one
  const { figures: after } = other
  const grown = (from: number, to: number) => from + ((to - from) * (ms - one.afterMs)) / (other.afterMs - one.afterMs)
  const whole = (from: number, to: number) => Math.ceil(grown(from, to))
  const dollars = (from: number, to: number) => withoutDust(grown(from, to))
  const { c, l } = after.detail
  return {
    promptTokens: whole(before.promptTokens, after.promptTokens),
    cachedTokens: whole(before.cachedTokens, after.cachedTokens),
    cacheWriteTokens: whole(before.cacheWriteTokens, after.cacheWriteTokens),
    completionTokens: whole(before.completionTokens, after.completionTokens),
    reasoningTokens: whole(before.reasoningTokens, after.reasoningTokens),
    cost: before.cost === null || after.cost === null ? null : dollars(before.cost, after.cost),
    moreTokens: after.moreTokens && grownMembers(before.moreTokens, after.moreTokens, whole),
    charges: after.charges?.map(([limit, bucket, start, amount, processName]) => {
      const charge = before.charges?.find((one) => one[0] === limit && one[1] === bucket && one[2] === start)
      return [limit, bucket, start, Math.round(grown(charge?.[3] ?? 0, amount)), processName]
    }),
    detail: {
      ...(c && { c: grownMembers(before.detail.c, c, dollars) }),
      ...(l && {
        l: l.map(([limit, unit, used], index) => [limit, unit, dollars(before.detail.l?.[index]?.[2] ?? 0, used)]),
      }),
    },
  }
}

function grownMembers(before: Numbers | null | undefined, after: Numbers, grow: (from: number, to: number) => number) {
  return Object.fromEntries(Object.entries(after).map(([name, amount]) => [name, grow(before?.[name] ?? 0, amount)]))
}
