import { recordOf } from '../../base/schema/record.ts'
import { withoutDashes } from '../../base/schema/resource-id.ts'
import { DAY_MS, HOUR_MS, MB, MINUTE_MS, SECOND_MS } from '../../base/units/units.ts'
import { BatchAnswer } from '../../calls/batch-answer.ts'
import { isFailure, toProblem } from '../../calls/attempts/failures.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { Problem } from '../../contract/problems.ts'
import type { EncodedLine } from '../../endpoints/batch-lines/line-encoder.ts'
import type { HeldWindow } from '../../money/limits/hold.ts'
import {
  type CarriedLine,
  decide,
  GATEWAY,
  linesWith,
  type OpenLine,
  takeLines,
} from '../../platform/store/batches/batch-lines.ts'
import type { ClaimedBatch } from '../../platform/store/batches/batch-runs.ts'
import {
  endProviderBatch,
  insertProviderBatch,
  knownAt,
  listProviderBatches,
  noteEnd,
  noteProviderBatch,
  type ProviderBatch,
  type ProviderBatchState,
  type RestOfLines,
} from '../../platform/store/batches/provider-batches.ts'
import { ownerOf } from '../../platform/store/owner.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { ItemResult, ResultSource } from '../../translation/batches/batch-wire.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { WireFailure } from '../../translation/wire/wire.ts'
import { answerOf, MAX_STARTS, ofGateway, type Pause, pauseForBudget } from './ask-lines.ts'
import type { Lines } from './ask-line.ts'
import { AnswerWriter } from './answer-writer.ts'
import { openBatchApi, type OpenedApi } from './batch-api.ts'
import type { BatchRequest } from './batch-request.ts'
import { textLines } from './jsonl.ts'
import type { Pace } from './pace.ts'
import { LineFault, lineId, readLine } from './read-line.ts'
import { InputGone, readPlaces } from './read-places.ts'

// Lines that providers answer in batches of their own. What a provider is asked for is noted before it is asked, with our id of its batch: a
// process that dies leaves nothing that the next one does not find again, and so nothing is ordered twice.

/** Lines of one batch at a provider, and the bytes of their requests. */
const MAX_LINES = 1_000
const MAX_BYTES = 8 * MB
const RESULTS_AT_ONCE = 32
/** A batch whose creation was not answered is looked for in the provider's list for this long. */
const SOUGHT_FOR_MS = 10 * MINUTE_MS
/** A shorter time is left to the gateway alone: providers promise an answer within a day. */
const MIN_WINDOW_MS = 24 * HOUR_MS
/** The part of the time that is left to the gateway for what providers have not answered by then. */
const LAST_PART = 1 / 6
/** A provider that says nothing about a batch for this long after its time has lost it. */
const LOST_AFTER_MS = DAY_MS
const REFUSED_WAIT_MS = MINUTE_MS
const SLOWER_BY = 2

export type ProviderBatchNeeds = {
  services(): Pick<
    CallServices,
    | 'files'
    | 'db'
    | 'now'
    | 'monotonic'
    | 'newId'
    | 'config'
    | 'send'
    | 'accessTokens'
    | 'timeouts'
    | 'spendLimits'
    | 'guardrails'
    | 'ledger'
  >
  lines: Lines
  pace: Pace
  log: { info(about: object, text: string): void; warn(about: object, text: string): void }
  timing: { lookMs: number; maxLookMs: number }
}

type Signals = { ending: AbortSignal; abort: AbortSignal }
/** `at`: when that was found. */
type EndedBatch = ProviderBatch & { at: number }
type ToHandOver = EncodedLine & { number: number }

export class ProviderBatches {
  readonly #batch: ClaimedBatch
  readonly #request: BatchRequest
  readonly #needs: ProviderBatchNeeds
  readonly #signals: Signals
  readonly #writer: AnswerWriter

  constructor(batch: ClaimedBatch, needs: ProviderBatchNeeds, signals: Signals) {
    const { db, monotonic } = needs.services()
    this.#batch = batch
    this.#request = JSON.parse(batch.request) as BatchRequest
    this.#needs = needs
    this.#signals = signals
    this.#writer = new AnswerWriter(batch, { db, monotonic })
  }

  /** In how many milliseconds a provider is to be asked again; undefined if none has lines of this batch. */
  async nextLook(): Promise<number | undefined> {
    const [first] = await this.#list()
    return first && Math.max(SECOND_MS, first.inMs)
  }

  /** Looks at the batches whose time it is. */
  async look(): Promise<void> {
    for (const row of await this.#list()) {
      if (this.#signals.ending.aborted) return
      if (row.inMs <= 0) await this.#advance(row)
      else if (this.#isLate && row.state === 'running') await this.#cancel(row)
    }
  }

  /** No line is to be answered any more: asks the providers to stop. What they have answered by then is kept. */
  async stop(): Promise<void> {
    for (const row of await this.#list()) {
      if (row.state === 'running') await this.#cancel(row)
      else if (row.inMs <= 0 || row.state === 'prepared' || row.state === 'submitting') await this.#advance(row)
    }
  }

  /** Decides who answers lines, and hands over those that providers answer. Returns why some have to wait. */
  async handOver(caller: Caller): Promise<Pause | undefined> {
    const { files } = this.#needs.services()
    for (;;) {
      if (this.#signals.ending.aborted) return undefined
      const lines = await takeLines(files.db, this.#batch, { limit: MAX_LINES, carrier: null })
      if (lines.length === 0) return undefined
      const open = new Set(lines.map(({ number }) => number))
      try {
        const pause = await this.#handOver(lines, caller, open)
        if (pause) return pause
      } finally {
        await decide(files.db, this.#batch, [...open], null)
      }
    }
  }

  /** `open`: numbers of lines that are still to be decided. */
  async #handOver(lines: readonly OpenLine[], caller: Caller, open: Set<number>): Promise<Pause | undefined> {
    const { files } = this.#needs.services()
    const encoded: ToHandOver[] = []
    const left: number[] = []
    let bytes = 0
    for await (const { line, bytes: text } of readPlaces(this.#batch, lines, files.blobs)) {
      await this.#needs.pace.turn(this.#signals.ending)
      const found = this.#isLate || line.starts > MAX_STARTS ? undefined : await this.#encode(text, caller)
      if (found) encoded.push({ ...found, number: line.number })
      else left.push(line.number)
      bytes += found?.body.length ?? 0
      if (bytes < MAX_BYTES) continue
      const pause = await this.#submitAll(encoded.splice(0), open)
      if (pause) return pause
      bytes = 0
    }
    await this.#leaveToGateway(left, open)
    return await this.#submitAll(encoded, open)
  }

  async #encode(text: Buffer, caller: Caller): Promise<EncodedLine | undefined> {
    const { lines } = this.#needs
    const { id, door, endpoint } = this.#batch
    try {
      const { url, body } = readLine(text, { door, endpoint, endpointOf: lines.endpointOf })
      // The gateway asks itself what guardrails may have to change, in the request and in the answer.
      if (!MAY_BE_NATIVE.test(url) || this.#needs.services().guardrails.enforcesFor(caller)) return undefined
      return await lines.encode({ url, body, caller, headers: this.#request.headers, batch: { id, tier: BATCH_TIER } })
    } catch (error) {
      if (error instanceof LineFault) return undefined
      throw error
    }
  }

  async #leaveToGateway(numbers: readonly number[], open: Set<number>): Promise<void> {
    const { db } = this.#needs.services()
    if (this.#request.execution === 'native')
      for (const number of numbers) await this.#writer.add(ofGateway(number, NOT_NATIVE))
    else await decide(db, this.#batch, numbers, GATEWAY)
    for (const number of numbers) open.delete(number)
  }

  async #submitAll(encoded: readonly ToHandOver[], open: Set<number>): Promise<Pause | undefined> {
    for (const group of Object.values(Object.groupBy(encoded, accountAndModel))) {
      const pause = await this.#submit(group!, open)
      if (pause) return pause
    }
    return undefined
  }

  /** If the limits do not have room for all lines, for half of them, and so on: what fits is handed over. */
  async #submit(group: readonly ToHandOver[], open: Set<number>): Promise<Pause | undefined> {
    const { db, newId, spendLimits, now, config } = this.#needs.services()
    const id = newId()
    const windows = sumOf(group)
    try {
      await spendLimits.hold(id, windows)
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error
      if (group.length === 1) return pauseForBudget(error, { now })
      const half = Math.ceil(group.length / 2)
      return (await this.#submit(group.slice(0, half), open)) ?? (await this.#submit(group.slice(half), open))
    }
    const [{ provider, model, credential }] = group as [ToHandOver, ...ToHandOver[]]
    const chosen = firstCredential(config.providers[provider]!.credentials, credential)
    const row = {
      ...{ id, provider, model, ...chosen, lines: group.length },
      ...{ windows: JSON.stringify(windows), waitMs: this.#needs.timing.lookMs },
    }
    const numbers = group.map(({ number }) => number)
    if (!(await insertProviderBatch(db, this.#batch, row, numbers))) return undefined
    for (const number of numbers) open.delete(number)
    return await this.#create(row, group)
  }

  async #create(row: Account, group: readonly ToHandOver[]): Promise<Pause | undefined> {
    const api = this.#open(row)
    if (!api) return await this.#refused(row, REMOVED)
    const { batches } = this.#needs.services().config.providers[row.provider]!
    const [{ modelName: model, endpoint }] = group as [ToHandOver, ...ToHandOver[]]
    const items = group.map(({ number, body }) => ({ id: this.#itemId(number), body }))
    const hours = Math.max(1, Math.floor(this.#batch.windowMs / HOUR_MS))
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
        isBegun = await this.#note(row, 'submitting', null)
        if (!isBegun) throw new LostBatch()
      })
      await this.#note(row, 'running', providerId)
      this.#needs.log.info(
        { batch: this.#batch.id, provider: row.provider, lines: group.length },
        'lines handed to a provider',
      )
      return undefined
    } catch (error) {
      if (error instanceof LostBatch || this.#signals.abort.aborted || !isFailure(error)) throw error
      // The provider may have done what it was asked for, which is found out later.
      if (isBegun && !isRefusal(error)) return undefined
      return await this.#refused(row, error)
    }
  }

  /** The provider does not have the batch, and has done nothing. */
  async #refused(row: Account, error: unknown): Promise<Pause | undefined> {
    const { spendLimits, db } = this.#needs.services()
    const reason = this.#reasonOf(error, row)
    this.#needs.log.warn(
      { batch: this.#batch.id, provider: row.provider, error: reason },
      'a provider did not take a batch',
    )
    const isPassing = !isRefusal(error) || (error instanceof UpstreamProblem && error.status === TOO_MANY)
    await spendLimits.release(row.id)
    if (!isPassing && this.#request.execution === 'native') {
      const answer = JSON.stringify({
        code: 'refused_by_provider',
        message: `The provider does not take this batch: ${reason}`,
      })
      await endProviderBatch(db, this.#batch, row, { outcome: 'errored', answer })
      return undefined
    }
    await endProviderBatch(db, this.#batch, row, { carrier: isPassing ? null : GATEWAY })
    if (!isPassing) return undefined
    const wished = error instanceof UpstreamProblem ? (error.retryAfterSeconds ?? 0) * SECOND_MS : 0
    return { reason: `${row.provider} does not take batches now: ${reason}`, forMs: Math.max(wished, REFUSED_WAIT_MS) }
  }

  /** Takes a batch at a provider one step further. */
  async #advance(row: ProviderBatch): Promise<void> {
    const api = this.#open(row)
    try {
      if (row.state === 'prepared') return await this.#end(row, { carrier: null })
      if (!api) throw new Error(REMOVED.message)
      const found = row.providerId === null ? await this.#find(row, api) : row
      if (found?.providerId == null) return
      const { isEnded, sources } = await api.wire.look(found.providerId, api.ask)
      if (!isEnded) return void (await this.#note(found, found.state, found.providerId, this.#slower(row)))
      const at = await noteEnd(this.#needs.services().db, this.#batch, found)
      if (at === undefined) return
      if (await this.#collect({ ...found, at }, sources, api)) await this.#end(found, this.#restOfEnded())
    } catch (error) {
      if (this.#signals.abort.aborted) throw error
      if (error instanceof InputGone)
        return await this.#end(row, { outcome: 'errored', answer: JSON.stringify(UNREADABLE) })
      if (!(error instanceof UpstreamProblem) && !isWire(error) && api) throw error
      this.#needs.log.warn(
        {
          batch: this.#batch.id,
          provider: row.provider,
          error: error instanceof Error ? error.message : String(error),
        },
        'a batch at a provider cannot be read now',
      )
      if (this.#isLost) await this.#end(row, { outcome: 'errored', answer: JSON.stringify(LOST) })
      else await this.#note(row, row.state, row.providerId, this.#slower(row))
    }
  }

  /** The creation was not answered: perhaps the provider has the batch all the same. */
  async #find(row: ProviderBatch, { wire, ask }: OpenedApi): Promise<ProviderBatch | undefined> {
    const { db } = this.#needs.services()
    const known = await knownAt(db, row.provider)
    const mark = withoutDashes(row.id)
    const providerId = await wire.find({ mark, since: row.createdAt, count: row.lines, known }, ask)
    if (providerId !== undefined) {
      const state = wire.guesses ? 'guessed' : 'running'
      await this.#note(row, state, providerId)
      return { ...row, state, providerId }
    }
    if (row.ageMs < SOUGHT_FOR_MS) await this.#note(row, row.state, null)
    else await this.#end(row, { carrier: null })
    return undefined
  }

  async #cancel(row: ProviderBatch): Promise<void> {
    const api = this.#open(row)
    if (!api) return
    try {
      await api.wire.cancel(row.providerId!, api.ask)
    } catch (error) {
      // It may have ended just now, which a look shows.
      if (!(error instanceof UpstreamProblem) && !isWire(error)) throw error
    }
    await this.#note(row, 'cancelling', row.providerId, 0)
    await this.#advance({ ...row, state: 'cancelling', waitMs: this.#needs.timing.lookMs })
  }

  /** Every answer becomes that of its line, through the whole way of a call. Returns false if this turn has ended before. */
  async #collect(row: EndedBatch, sources: readonly ResultSource[], api: OpenedApi): Promise<boolean> {
    let group: ItemResult[] = []
    for (const source of sources) {
      for await (const result of this.#resultsIn(source, api)) {
        group.push(result)
        if (group.length < RESULTS_AT_ONCE) continue
        await this.#keep(row, group)
        group = []
        if (this.#signals.ending.aborted) return false
      }
    }
    await this.#keep(row, group)
    return !this.#signals.abort.aborted
  }

  async *#resultsIn(source: ResultSource, { wire, read }: OpenedApi): AsyncGenerator<ItemResult> {
    if ('results' in source) return yield* source.results
    for await (const { bytes } of textLines(await read(source.path), MAX_RESULT_BYTES)) {
      const result = bytes && wire.read(recordOf(tryParse(bytes.toString('utf8'))))
      if (result) yield result
    }
  }

  async #keep(row: EndedBatch, results: readonly ItemResult[]): Promise<void> {
    const { db, files } = this.#needs.services()
    const byNumber = new Map(results.flatMap((result) => this.#numbered(result)))
    const lines = await linesWith(db, this.#batch.id, [...byNumber.keys()])
    for await (const { line, bytes } of readPlaces(this.#batch, lines, files.blobs)) {
      const answer = byNumber.get(line.number)!
      await this.#needs.pace.turn(this.#signals.abort)
      await this.#keepOne(row, lines.find(({ number }) => number === line.number)!, { bytes, answer })
    }
  }

  /** What may succeed if the gateway asks is left to it. */
  #numbered({ id, answer }: ItemResult): [number, NonNullable<ItemResult['answer']>][] {
    const prefix = this.#itemId('')
    const number = id.startsWith(prefix) ? Number(id.slice(prefix.length)) : Number.NaN
    if (!answer || !Number.isSafeInteger(number)) return []
    return this.#request.execution === 'auto' && !this.#isOver && mayLater(answer.status) ? [] : [[number, answer]]
  }

  async #keepOne(
    row: EndedBatch,
    line: CarriedLine,
    { bytes, answer }: { bytes: Buffer; answer: NonNullable<ItemResult['answer']> },
  ): Promise<void> {
    const { lines } = this.#needs
    const { id, door, endpoint } = this.#batch
    const { url, body } = readLine(bytes, { door, endpoint, endpointOf: lines.endpointOf })
    const { headers, caller } = this.#request
    const hold = { holder: row.id, windows: JSON.parse(row.windows) as HeldWindow[] }
    const batch = { id, tier: BATCH_TIER, answer: new BatchAnswer({ model: row.model, ...answer, at: row.at, hold }) }
    const asked = {
      url,
      body,
      headers,
      batch,
      caller: { ...caller, ...ownerOf(this.#batch) },
      id: lineId(id, line.number),
    }
    const reply = await lines.ask(asked, this.#signals.abort)
    if (this.#signals.abort.aborted) return
    await this.#writer.add(answerOf(line, reply))
  }

  /** What it held of limits is free again as soon as the ledger has its lines. */
  async #end(row: ProviderBatch, rest: RestOfLines): Promise<void> {
    const { db, ledger, spendLimits } = this.#needs.services()
    await ledger.flush()
    await spendLimits.release(row.id)
    await endProviderBatch(db, this.#batch, row, rest)
  }

  #restOfEnded(): RestOfLines {
    if (this.#batch.state === 'cancelling') return { outcome: 'cancelled', answer: null }
    if (this.#isOver) return { outcome: 'expired', answer: null }
    if (this.#request.execution === 'auto') return { carrier: GATEWAY }
    return { outcome: 'errored', answer: JSON.stringify(NO_ANSWER) }
  }

  async #note(
    row: Pick<ProviderBatch, 'id'>,
    state: ProviderBatchState,
    providerId: string | null,
    waitMs = this.#needs.timing.lookMs,
  ): Promise<boolean> {
    return await noteProviderBatch(this.#needs.services().db, this.#batch, row, { state, providerId, waitMs })
  }

  #slower({ waitMs }: Pick<ProviderBatch, 'waitMs'>): number {
    const { lookMs, maxLookMs } = this.#needs.timing
    return Math.max(lookMs, Math.min(waitMs * SLOWER_BY, maxLookMs))
  }

  /** As callers are told it: without what belongs to the operator. */
  #reasonOf(error: unknown, { provider: id }: Pick<ProviderBatch, 'provider'>): string {
    const provider = this.#needs.services().config.providers[id]
    if (!provider || !isFailure(error)) return 'it is not configured as it was'
    return toProblem(error, { id: provider.name, provider }).message
  }

  #open(row: Account): OpenedApi | undefined {
    return openBatchApi(row, this.#needs.services(), this.#signals.abort)
  }

  #list(): Promise<ProviderBatch[]> {
    return listProviderBatches(this.#needs.services().db, this.#batch.id)
  }

  #itemId(number: number | ''): string {
    return `${withoutDashes(this.#batch.id)}_${number}`
  }

  /** What is left of the time is the gateway's. */
  get #isLate(): boolean {
    const { deadlineAt, steadyAt, windowMs } = this.#batch
    return this.#request.execution === 'auto' && deadlineAt - steadyAt < windowMs * LAST_PART
  }

  get #isOver(): boolean {
    return this.#batch.deadlineAt <= this.#batch.steadyAt
  }

  get #isLost(): boolean {
    return this.#batch.steadyAt - this.#batch.deadlineAt > LOST_AFTER_MS
  }
}

/** Whether lines are to be handed to providers at all. A shorter time is one that providers do not promise to keep. */
export function mayHandOver({ windowMs, request }: Pick<ClaimedBatch, 'windowMs' | 'request'>): boolean {
  const { execution } = JSON.parse(request) as BatchRequest
  return execution === 'native' || (execution === 'auto' && windowMs >= MIN_WINDOW_MS)
}

type Account = Pick<ProviderBatch, 'id' | 'provider' | 'credential' | 'credentialName'>

/** This attempt does not have the batch any more. */
class LostBatch extends Error {}

const BATCH_TIER = 'batch'
/** What no provider takes in batches is not looked at twice. */
const MAY_BE_NATIVE = /\/(chat\/completions|completions|messages|responses|embeddings)$|:generateContent$/
const MAX_RESULT_BYTES = 64 * MB
const TOO_MANY = 429
const NOT_NATIVE = {
  code: 'not_native',
  message:
    'No provider answers this line in a batch of its own: its model, its endpoint or what it asks for is not for that.',
}
const NO_ANSWER = { code: 'no_answer', message: 'The batch at the provider has ended without an answer to this line.' }
const LOST = {
  code: 'provider_batch_lost',
  message: 'The provider does not say what became of this line, so its cost is not known.',
}
const UNREADABLE = {
  code: 'file_not_found',
  message: 'The input file is gone, so what the provider has answered cannot be read.',
}
const REMOVED = new UpstreamProblem('auth', 'its key is not configured any more', { status: 401 })

/** Nothing was done: the provider has answered with an error of the request. */
function isRefusal(error: unknown): boolean {
  return error instanceof UpstreamProblem && error.status !== undefined && error.status < 500 && error.status !== 408
}

function mayLater(status: number): boolean {
  return status >= 500 || status === 429 || status === 408
}

function isWire(error: unknown): boolean {
  return error instanceof WireFailure
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
