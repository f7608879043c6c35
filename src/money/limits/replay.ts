import { amountAt, isRate, type Limit } from '../../platform/config/spend-limits/limit.ts'
import type { SpentLine } from '../../platform/store/ledger/lines-in-order.ts'
import { isEnough, tokensThatFit } from './lower-answer.ts'
import { bucketOf, concerns, concernsTarget, isHolder } from './match-limits.ts'
import { RecentUses } from './rates/recent-uses.ts'
import { LENGTH_MS, type Span, windowAt } from './windows.ts'
import { assumedCost, nanosPerToken, type WorstCase } from './worst-case.ts'

// A limit that does not exist yet, and calls that were made without it. They are taken with what they really used, in the order
// in which they ended; what a call would have reserved beyond that is not in the ledger.

type ReplayOutcome = 'passed' | 'clamped' | 'refused' | 'unpriced'

/** What would have become of one call. `remaining` and `demand`, which is what it used, are in the unit of the limit, as whole amounts. */
export type Replayed = {
  outcome: ReplayOutcome
  bucket: string
  windowStart: number
  demand: number
  remaining: number
}

/** How much of a window, or of a rate, one bucket has used, and how much its calls wanted. */
type Used = { spent: number; demand: number; recent: RecentUses | undefined; lastAt: number }

/** USD per million tokens that the model writes; null if it is not known. */
type OutputPrice = (model: string) => number | null

/** Buckets that are followed at the same time. Calls of further ones are counted, and not judged. */
const MAX_BUCKETS = 100_000

export class Replay {
  readonly #limit: Limit
  readonly #outputPrice: OutputPrice
  /** The length of the window that slides, if the limit is a rate. */
  readonly #rateMs: number | undefined
  readonly #used = new Map<string, Used>()
  #span: Span = { start: 0, end: 0 }
  /** The most that the calls of one bucket wanted in one window. */
  peak: { bucket: string; windowStart: number; demand: number } | undefined
  /** Calls that were not judged, because there were too many buckets. */
  skipped = 0

  constructor(limit: Limit, outputPrice: OutputPrice) {
    this.#limit = limit
    this.#outputPrice = outputPrice
    this.#rateMs = isRate(limit) ? LENGTH_MS[limit.window] : undefined
  }

  /** Undefined for a line that the limit is not about. */
  next(line: SpentLine): Replayed | undefined {
    const call = callOf(line)
    const target = { id: line.model, provider: { id: line.provider } }
    if (!isHolder(this.#limit, call) || !concerns(this.#limit, call) || !concernsTarget(this.#limit, target)) return
    this.#enterWindow(line.at)
    const bucket = bucketOf(this.#limit, call)
    const used = this.#usedBy(bucket, line.at)
    if (!used) return void this.skipped++
    return { bucket, windowStart: this.#span.start, ...this.#judge(line, used, bucket) }
  }

  #judge(line: SpentLine, used: Used, bucket: string): Omit<Replayed, 'bucket' | 'windowStart'> {
    const cap = amountAt(this.#limit, line.at)
    const remaining = this.#remainingOf(used, cap, line.at)
    const demand = amountOf(this.#limit, line)
    if (demand === null) return { outcome: 'unpriced', demand: 0, remaining }
    used.demand += demand
    this.#notePeak(bucket, used)
    // A rate lets a call pass that is larger than the whole of it, if it is full.
    const needed = isRate(this.#limit) ? Math.min(cap, demand) : demand
    const fits = needed <= remaining ? demand : this.#shortened(line, needed, remaining)
    if (fits !== null) this.#use(used, fits, line.at)
    return { outcome: needed <= remaining ? 'passed' : fits === null ? 'refused' : 'clamped', demand, remaining }
  }

  /** Everything that is left, if the answer could have been shortened to it; null if not. */
  #shortened(line: SpentLine, amount: number, remaining: number): number | null {
    const price = this.#outputPrice(line.model) ?? this.#limit.assume?.output ?? 0
    const worst: WorstCase = {
      inputTokens: line.promptTokens,
      outputTokens: line.completionTokens,
      isChat: isChat(line),
      isCounted: true,
      usd: line.costNanos,
      usdPerOutputToken: nanosPerToken(price),
    }
    const fits = tokensThatFit({ limit: this.#limit, amount, missing: amount }, worst, remaining)
    return isEnough(fits, worst) ? remaining : null
  }

  #remainingOf(used: Used, cap: number, at: number): number {
    return Math.max(0, cap - (used.recent ? used.recent.sumAt(at) : used.spent))
  }

  #use(used: Used, amount: number, at: number): void {
    used.spent += amount
    used.recent?.add(amount, at)
  }

  /** Lines come in the order of time, so a window that has ended is never needed again. */
  #enterWindow(at: number): void {
    if (at < this.#span.end) return
    this.#span = windowAt(this.#limit, at)
    this.#used.clear()
  }

  #usedBy(bucket: string, at: number): Used | undefined {
    const existing = this.#used.get(bucket)
    if (existing && !this.#wasIdle(existing, at)) {
      existing.lastAt = at
      return existing
    }
    if (this.#used.size >= MAX_BUCKETS) this.#forgetIdle(at)
    if (this.#used.size >= MAX_BUCKETS) return undefined
    const used = { spent: 0, demand: 0, recent: this.#rateMs ? new RecentUses(this.#rateMs) : undefined, lastAt: at }
    this.#used.set(bucket, used)
    return used
  }

  /** A rate of which nothing counts any more is as good as new, and so is a session that was idle. */
  #forgetIdle(at: number): void {
    for (const [bucket, used] of this.#used)
      if ((used.recent && used.recent.lastEnd <= at) || this.#wasIdle(used, at)) this.#used.delete(bucket)
  }

  #wasIdle({ lastAt }: Used, at: number): boolean {
    const { idleMs } = this.#limit
    return idleMs !== null && at - lastAt >= idleMs
  }

  #notePeak(bucket: string, { demand }: Used): void {
    if (isRate(this.#limit) || demand <= (this.peak?.demand ?? 0)) return
    this.peak = { bucket, windowStart: this.#span.start, demand }
  }
}

function callOf({ organization, project, keyId, user, endUser, session, tags, endpoint }: SpentLine) {
  const labels = { endUser, session, tags: tags === null ? null : (JSON.parse(tags) as Record<string, string>) }
  return { caller: { organization, project, keyId, user }, endpoint, labels }
}

/** All formats of chats have this endpoint in the ledger. */
function isChat({ endpoint }: SpentLine): boolean {
  return endpoint === 'chat'
}

/** What a call used of the limit; null if its price is not known. */
function amountOf(limit: Limit, line: SpentLine): number | null {
  const { promptTokens, completionTokens, costNanos } = line
  switch (limit.unit) {
    case 'usd':
      return costNanos ?? (isChat(line) ? assumedCost(limit, promptTokens, completionTokens) : null)
    case 'input_tokens':
      return promptTokens
    case 'output_tokens':
      return completionTokens
    case 'tokens':
      return promptTokens + completionTokens
    default:
      return 1
  }
}
