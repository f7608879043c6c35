import { recordOf } from '../../base/schema/record.ts'
import { MB } from '../../base/units/units.ts'
import { BatchAnswer } from '../../calls/batch-answer.ts'
import type { HeldWindow } from '../../money/limits/hold.ts'
import { linesWith, type OpenLine } from '../../platform/store/batches/batch-lines.ts'
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

const RESULTS_AT_ONCE = 32
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
    let group: ItemResult[] = []
    for (const source of sources) {
      for await (const result of this.#resultsIn(source)) {
        group.push(result)
        if (group.length < RESULTS_AT_ONCE) continue
        await this.#keep(group)
        group = []
        if (signals.ending.aborted) return 'stopped'
      }
    }
    await this.#keep(group)
    if (signals.abort.aborted) return 'stopped'
    return this.#isGarbled ? 'garbled' : 'all'
  }

  async *#resultsIn(source: ResultSource): AsyncGenerator<ItemResult> {
    if ('results' in source) return yield* source.results
    const { wire, read } = this.#api
    for await (const { bytes } of textLines(await read(source.path), MAX_RESULT_BYTES)) {
      const result = bytes && wire.read(recordOf(tryParse(bytes.toString('utf8'))))
      if (result) yield result
      else this.#isGarbled = true
    }
  }

  async #keep(results: readonly ItemResult[]): Promise<void> {
    const { batch, needs, signals } = this.#turn
    const { db, files } = needs.services()
    const byNumber = new Map<number, Answer>()
    for (const [number, answer] of results.flatMap((result) => this.#numbered(result)))
      if (!byNumber.has(number)) byNumber.set(number, answer)
    const lines = await linesWith(db, batch.id, { numbers: [...byNumber.keys()], carriers: await this.#carriers() })
    for await (const { line, bytes } of readPlaces(batch, lines, files.blobs)) {
      await needs.pace.turn(signals.abort)
      await this.#keepOne(line, bytes, byNumber.get(line.number)!)
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

  async #keepOne(line: OpenLine, bytes: Buffer, answer: Answer): Promise<void> {
    const { batch, request, needs, signals, writer } = this.#turn
    const { id, door, endpoint } = batch
    const row = this.#row
    const { url, body } = readLine(bytes, { door, endpoint, endpointOf: needs.lines.endpointOf })
    const hold = { holder: row.id, windows: JSON.parse(row.windows) as HeldWindow[] }
    const asked = {
      url,
      body,
      headers: request.headers,
      batch: { id, tier: BATCH_TIER, answer: new BatchAnswer({ model: row.model, ...answer, at: row.at, hold }) },
      caller: { ...request.caller, ...ownerOf(batch) },
      id: lineId(id, line.number),
    }
    const reply = await needs.lines.ask(asked, signals.abort)
    if (!signals.abort.aborted) await writer.add(answerOf(line, reply))
  }
}

function mayLater(status: number): boolean {
  return status >= 500 || status === 429 || status === 408
}
