import { withoutDashes } from '../../base/schema/resource-id.ts'
import { HOUR_MS, MB, MINUTE_MS, SECOND_MS } from '../../base/units/units.ts'
import { isFailure } from '../../calls/attempts/failures.ts'
import { Problem } from '../../contract/problems.ts'
import type { EncodedLine } from '../../endpoints/batch-lines/line-encoder.ts'
import type { HeldWindow } from '../../money/limits/hold.ts'
import { decide, GATEWAY, type OpenLine, takeLines } from '../../platform/store/batches/batch-lines.ts'
import type { ClaimedBatch } from '../../platform/store/batches/batch-runs.ts'
import {
  endProviderBatch,
  insertProviderBatch,
  type ProviderBatch,
} from '../../platform/store/batches/provider-batches.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import { NoBatch } from '../../translation/batches/batch-wire.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { MAX_STARTS, ofGateway, type Pause, pauseForBudget } from './ask-lines.ts'
import type { BatchRequest } from './batch-request.ts'
import { type ProviderTurn, REMOVED } from './provider-turn.ts'
import { LineFault, readLine } from './read-line.ts'
import { readPlaces } from './read-places.ts'
import { BATCH_TIER } from './take-results.ts'

/** Lines of one batch at a provider, and the bytes of their requests. */
const MAX_LINES = 1_000
const MAX_BYTES = 8 * MB
/** A shorter time is left to the gateway alone: providers promise an answer within a day. */
const MIN_WINDOW_MS = 24 * HOUR_MS
const REFUSED_WAIT_MS = MINUTE_MS

type ToHandOver = EncodedLine & { number: number }
type Account = Pick<ProviderBatch, 'id' | 'provider' | 'credential' | 'credentialName'>

/** Whether lines may be handed to providers at all. A shorter time is one that providers do not promise to keep. */
export function mayHandOver(
  { windowMs, request }: Pick<ClaimedBatch, 'windowMs' | 'request'>,
  { providers }: Pick<Config, 'providers'>,
): boolean {
  const { execution } = JSON.parse(request) as BatchRequest
  if (execution !== 'auto') return execution === 'native'
  const takesBatches = ({ batches, configured }: Provider) => configured && batches && !batches.isOff
  return windowMs >= MIN_WINDOW_MS && Object.values(providers).some(takesBatches)
}

/** Decides who answers lines, and hands over those that providers answer. Returns why some have to wait. */
export async function handOver(turn: ProviderTurn, caller: Caller): Promise<Pause | undefined> {
  const { db } = turn.needs.services()
  for (;;) {
    if (turn.signals.ending.aborted) return undefined
    const lines = await takeLines(db, turn.batch, { limit: MAX_LINES, carrier: null })
    if (lines.length === 0) return undefined
    const handingOver = new HandOver(turn, caller, lines)
    try {
      const pause = await handingOver.run()
      if (pause) return pause
    } finally {
      await decide(db, turn.batch, [...handingOver.open], null)
    }
  }
}

class HandOver {
  /** Numbers of lines that are still to be decided. */
  readonly open: Set<number>
  readonly #turn: ProviderTurn
  readonly #caller: Caller
  readonly #lines: readonly OpenLine[]

  constructor(turn: ProviderTurn, caller: Caller, lines: readonly OpenLine[]) {
    this.open = new Set(lines.map(({ number }) => number))
    this.#turn = turn
    this.#caller = caller
    this.#lines = lines
  }

  async run(): Promise<Pause | undefined> {
    const { batch, needs, signals, isLate } = this.#turn
    const encoded: ToHandOver[] = []
    const left: number[] = []
    let bytes = 0
    for await (const { line, bytes: text } of readPlaces(batch, this.#lines, needs.services().files.blobs)) {
      await needs.pace.turn(signals.ending)
      const found = isLate || line.starts > MAX_STARTS ? undefined : await this.#encode(text)
      if (found) encoded.push({ ...found, number: line.number })
      else left.push(line.number)
      bytes += found?.body.length ?? 0
      if (bytes < MAX_BYTES) continue
      const pause = await this.#submitAll(encoded.splice(0))
      if (pause) return pause
      bytes = 0
    }
    await this.#leaveToGateway(left)
    return await this.#submitAll(encoded)
  }

  async #encode(text: Buffer): Promise<EncodedLine | undefined> {
    const { batch, request, needs } = this.#turn
    const { id, door, endpoint } = batch
    const caller = this.#caller
    try {
      const { url, body } = readLine(text, { door, endpoint, endpointOf: needs.lines.endpointOf })
      // The gateway asks itself what guardrails may have to change, in the request and in the answer.
      if (!MAY_BE_NATIVE.test(url) || needs.services().guardrails.enforcesFor(caller)) return undefined
      return await needs.lines.encode({ url, body, caller, headers: request.headers, batch: { id, tier: BATCH_TIER } })
    } catch (error) {
      if (error instanceof LineFault) return undefined
      throw error
    }
  }

  async #leaveToGateway(numbers: readonly number[]): Promise<void> {
    const { batch, request, needs, writer } = this.#turn
    if (request.execution === 'native') await writer.store(numbers.map((number) => ofGateway(number, NOT_NATIVE)))
    else await decide(needs.services().db, batch, numbers, GATEWAY)
    for (const number of numbers) this.open.delete(number)
  }

  async #submitAll(encoded: readonly ToHandOver[]): Promise<Pause | undefined> {
    for (const group of Object.values(Object.groupBy(encoded, accountAndModel))) {
      const pause = await this.#submit(group!)
      if (pause) return pause
    }
    return undefined
  }

  /** If the limits do not have room for all lines, for half of them, and so on: what fits is handed over. */
  async #submit(group: readonly ToHandOver[]): Promise<Pause | undefined> {
    const { batch, needs } = this.#turn
    const { db, newId, spendLimits, now, config } = needs.services()
    const id = newId()
    const windows = sumOf(group)
    try {
      await spendLimits.hold(id, windows)
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error
      if (group.length === 1) return pauseForBudget(error, { now })
      const half = Math.ceil(group.length / 2)
      return (await this.#submit(group.slice(0, half))) ?? (await this.#submit(group.slice(half)))
    }
    const [{ provider, model, credential }] = group as [ToHandOver, ...ToHandOver[]]
    const chosen = firstCredential(config.providers[provider]!.credentials, credential)
    const row = {
      id,
      provider,
      model,
      ...chosen,
      lines: group.length,
      windows: JSON.stringify(windows),
      waitMs: needs.timing.lookMs,
    }
    const numbers = group.map(({ number }) => number)
    if (!(await insertProviderBatch(db, batch, row, numbers))) return undefined
    for (const number of numbers) this.open.delete(number)
    return await this.#create(row, group)
  }

  async #create(row: Account, group: readonly ToHandOver[]): Promise<Pause | undefined> {
    const turn = this.#turn
    const { batch, needs, signals } = turn
    const api = turn.open(row)
    if (!api) return await this.#refused(row, REMOVED)
    const { batches } = needs.services().config.providers[row.provider]!
    const [{ modelName: model, endpoint }] = group as [ToHandOver, ...ToHandOver[]]
    const items = group.map(({ number, body }) => ({ id: turn.itemId(number), body }))
    const hours = Math.max(1, Math.floor(batch.windowMs / HOUR_MS))
    const created = {
      mark: withoutDashes(row.id),
      model,
      endpoint: `${batches!.prefix ?? ''}${endpoint}`,
      items,
      hours,
    }
    let isBegun = false
    try {
      const providerId = await api.wire.create(created, api.ask, async () => {
        isBegun = await turn.note(row, 'submitting', null)
        if (!isBegun) throw new LostBatch()
      })
      await turn.note(row, 'running', providerId)
      needs.log.info({ batch: batch.id, provider: row.provider, lines: group.length }, 'lines handed to a provider')
      return undefined
    } catch (error) {
      if (error instanceof LostBatch || signals.abort.aborted || !isFailure(error)) throw error
      // The provider may have done what it was asked for, which is found out later.
      if (isBegun && !isRefusal(error)) return undefined
      return await this.#refused(row, error)
    }
  }

  /** The provider does not have the batch, and has done nothing. */
  async #refused(row: Account, error: unknown): Promise<Pause | undefined> {
    const { batch, request, needs } = this.#turn
    const { spendLimits, db } = needs.services()
    const reason = this.#turn.reasonOf(error, row)
    needs.log.warn({ batch: batch.id, provider: row.provider, error: reason }, 'a provider did not take a batch')
    const isPassing = !isRefusal(error) || (error instanceof UpstreamProblem && error.status === TOO_MANY)
    await spendLimits.release(row.id)
    if (!isPassing && request.execution === 'native') {
      const answer = JSON.stringify({
        code: 'refused_by_provider',
        message: `The provider does not take this batch: ${reason}`,
      })
      await endProviderBatch(db, batch, row, { outcome: 'errored', answer })
      return undefined
    }
    await endProviderBatch(db, batch, row, { carrier: isPassing ? null : GATEWAY })
    if (!isPassing) return undefined
    const wished = error instanceof UpstreamProblem ? (error.retryAfterSeconds ?? 0) * SECOND_MS : 0
    return { reason: `${row.provider} does not take batches now: ${reason}`, forMs: Math.max(wished, REFUSED_WAIT_MS) }
  }
}

/** This turn does not have the batch any more. */
class LostBatch extends Error {}

/** What no provider takes in batches is not looked at twice. */
const MAY_BE_NATIVE = /\/(chat\/completions|completions|messages|responses|embeddings)$|:generateContent$/
const TOO_MANY = 429
const NOT_NATIVE = {
  code: 'not_native',
  message:
    'No provider answers this line in a batch of its own: its model, its endpoint or what it asks for is not for that.',
}

/** Nothing was done: the provider has answered, with an error of the request or with something that is no batch. */
function isRefusal(error: unknown): boolean {
  if (error instanceof NoBatch) return true
  return error instanceof UpstreamProblem && error.status !== undefined && error.status < 500 && error.status !== 408
}

function accountAndModel({ provider, credential = '', model, endpoint }: ToHandOver): string {
  return JSON.stringify([provider, credential, model, endpoint])
}

function firstCredential(
  credentials: readonly { name?: string | undefined }[],
  name: string | undefined,
): Pick<ProviderBatch, 'credential' | 'credentialName'> {
  const index = name === undefined ? 0 : credentials.findIndex((one) => one.name === name)
  return { credential: Math.max(0, index), credentialName: credentials[index]?.name ?? null }
}

function sumOf(group: readonly ToHandOver[]): HeldWindow[] {
  const sums = new Map<string, HeldWindow>()
  for (const { windows } of group)
    for (const [limit, bucket, start, amount] of windows) {
      const key = JSON.stringify([limit, bucket, start])
      sums.set(key, [limit, bucket, start, amount + (sums.get(key)?.[3] ?? 0)])
    }
  return [...sums.values()]
}
