import { recordOf } from '../../base/schema/record.ts'
import { MB } from '../../base/units/units.ts'
import { BatchAnswer } from '../../calls/batch-answer.ts'
import type { HeldWindow } from '../../money/limits/hold.ts'
import { type LineAnswer, linesWith, type OpenLine } from '../../platform/store/batches/batch-lines.ts'
import { StoreUnavailable } from '../../platform/store/database.ts'
import type { ProviderBatch } from '../../platform/store/batches/provider-batches.ts'
import { ownerOf } from '../../platform/store/owner.ts'
import type { ItemResult, ResultSource } from '../../translation/batches/batch-wire.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { answerOf } from './ask-lines.ts'
import type { OpenedApi } from './batch-api.ts'
import { textLines } from './jsonl.ts'
import type { ProviderTurn } from './provider-turn.ts'
import { lineId, readLine } from './read-line.ts'
import { readPlaces } from './read-places.ts'

/** Answers that are stored together: a kill makes at most so many be read again. */
const RESULTS_AT_ONCE = 32
const CHARS_AT_ONCE = 4 * MB
const MAX_RESULT_BYTES = 64 * MB

/** The tier of the ledger for lines that providers answer in batches. */
export const BATCH_TIER = 'batch'

/** `at`: when that was found. */
type EndedBatch = ProviderBatch & { at: number }
type Answer = NonNullable<ItemResult['answer']>

/** `garbled`: something in the results is no result, and may have been one. */
type Taken = 'all' | 'garbled' | 'stopped'

/** Every answer becomes that of its line, through the whole way of a call. What no line of this batch waits for is not looked at. */
export async function takeResults(
  turn: ProviderTurn,
  row: EndedBatch,
  sources: readonly ResultSource[],
  api: OpenedApi,
): Promise<Taken> {
  return await new ResultTaker(turn, row, api).run(sources)
}

class ResultTaker {
  readonly #turn: ProviderTurn
  readonly #row: EndedBatch
  readonly #api: OpenedApi
  #isGarbled = false

  constructor(turn: ProviderTurn, row: EndedBatch, api: OpenedApi) {
    this.#turn = turn
    this.#row = row
    this.#api = api
  }

  async run(sources: readonly ResultSource[]): Promise<Taken> {
    const { signals } = this.#turn
    const group: ItemResult[] = []
    let chars = 0
    for (const source of sources) {
      for await (const result of this.#resultsIn(source)) {
        group.push(result)
        chars += result.answer?.body.length ?? 0
        if (group.length < RESULTS_AT_ONCE && chars < CHARS_AT_ONCE) continue
        if (!(await this.#keep(group.splice(0))) || signals.ending.aborted) return 'stopped'
        chars = 0
      }
    }
    if (!(await this.#keep(group))) return 'stopped'
    return this.#isGarbled ? 'garbled' : 'all'
  }

  async *#resultsIn(source: ResultSource): AsyncGenerator<ItemResult> {
    for await (const result of 'results' in source ? source.results : this.#read(source.path)) {
      if (result) yield result
      else this.#isGarbled = true
    }
  }

  async *#read(path: string): AsyncGenerator<ItemResult | undefined> {
    const { wire, read } = this.#api
    for await (const { bytes } of textLines(await read(path), MAX_RESULT_BYTES))
      yield bytes && wire.read(recordOf(tryParse(bytes.toString('utf8'))))
  }

  /** Reads the answers and stores them together. Returns whether this turn may go on. */
  async #keep(results: readonly ItemResult[]): Promise<boolean> {
    const { batch, needs, signals } = this.#turn
    const { db, files } = needs.services()
    const byNumber = new Map<number, Answer>()
    for (const [number, answer] of results.flatMap((result) => this.#numbered(result)))
      if (!byNumber.has(number)) byNumber.set(number, answer)
    const lines = await linesWith(db, batch.id, { numbers: [...byNumber.keys()], carriers: await this.#carriers() })
    const group: LineAnswer[] = []
    for await (const { line, bytes } of readPlaces(batch, lines, files.blobs)) {
      await needs.pace.turn(signals.abort)
      const { answer, hasAskedMore } = await this.#answer(line, bytes, byNumber.get(line.number)!)
      if (signals.abort.aborted) return false
      group.push(answer)
      if (hasAskedMore && !(await this.#store(group.splice(0)))) return false
    }
    return await this.#store(group)
  }

  /** A line of the ledger that the store refuses keeps no answer from being stored: the ledger sets it aside. */
  async #store(group: readonly LineAnswer[]): Promise<boolean> {
    const { needs, writer } = this.#turn
    try {
      return await writer.store(group)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      for (const { ledgerLine } of group) if (ledgerLine) needs.services().ledger.record(ledgerLine)
      return await writer.store(group.map((answer) => ({ ...answer, ledgerLine: undefined })))
    }
  }

  /** A batch that was guessed may be one of those that were created beside it. */
  async #carriers(): Promise<string[]> {
    const { id, state, provider, model } = this.#row
    if (state !== 'guessed') return [id]
    const rows = await this.#turn.list()
    return rows.filter((one) => one.provider === provider && one.model === model).map((one) => one.id)
  }

  /** What may succeed if the gateway asks is left to it. */
  #numbered({ id, answer }: ItemResult): [number, Answer][] {
    const { request, isOver } = this.#turn
    const prefix = this.#turn.itemId('')
    const number = id.startsWith(prefix) ? Number(id.slice(prefix.length)) : Number.NaN
    if (!answer || !Number.isSafeInteger(number)) return []
    return request.execution === 'auto' && !isOver && mayLater(answer.status) ? [] : [[number, answer]]
  }

  async #answer(line: OpenLine, bytes: Buffer, found: Answer): Promise<{ answer: LineAnswer; hasAskedMore: boolean }> {
    const { batch, request, needs, signals } = this.#turn
    const { id, door, endpoint } = batch
    const row = this.#row
    const { url, body } = readLine(bytes, { door, endpoint, endpointOf: needs.lines.endpointOf })
    const hold = { holder: row.id, windows: JSON.parse(row.windows) as HeldWindow[] }
    const answer = new BatchAnswer({ model: row.model, ...found, at: row.at, hold })
    const asked = {
      url,
      body,
      headers: request.headers,
      batch: { id, tier: BATCH_TIER, answer },
      caller: { ...request.caller, ...ownerOf(batch) },
      id: lineId(id, line.number),
    }
    const reply = await needs.lines.ask(asked, signals.abort)
    const { ledgerLine, hasAskedMore } = answer
    return { answer: { ...answerOf(line, reply), ledgerLine }, hasAskedMore }
  }
}

function mayLater(status: number): boolean {
  return status >= 500 || status === 429 || status === 408
}
