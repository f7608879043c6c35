import type { Bill } from '../../calls/order.ts'
import { costOfUnits } from '../../platform/catalog/task-prices.ts'
import { mostSeconds, mostVideoSeconds } from '../../base/sniff/recording-length.ts'
import { imageWorstCase } from '../images/image-worst-case.ts'
import { fixedCost, type WorstCase } from '../../money/limits/worst-case.ts'
import type { Feature, Task } from '../../translation/tasks/feature.ts'
import { measuredUnits } from '../../translation/tasks/measured-units.ts'
import { bytesIn, TOKENS_PER_PICTURE, tokenWorstCase } from '../../calls/upstream/bounds/token-worst-case.ts'
import { LENGTHS } from '../../calls/upstream/bounds/answer-bounds.ts'
import { pricedFor, USUAL_CONTEXT, USUAL_MAX_OUTPUT } from '../../calls/upstream/bounds/chat-worst-case.ts'
import { recordOf } from '../../base/schema/record.ts'
import type { TaskTarget } from './task-targets.ts'
import { unitsOfWeb } from './web-units.ts'
import { toNumber, toText } from '../../base/schema/to-primitive.ts'

/** Instructions and the schema of the answer. */
const INSTRUCTION_TOKENS = 20_000
/** A chat model is asked again if its answer does not match the schema, with that answer. */
const MOST_REQUESTS = 2
/** What the input shows of lengths and pages is an estimate. */
const MARGIN = 4
/** Numbers that decide how much is done, in the input or for the provider alone. */
const COUNTS = ['limit', 'max_pages', 'num_images', 'max_results', 'duration', 'n', 'maxCredits'] as const

/** No provider reads more of one document. */
const MOST_PAGES = 2_000
/** Of a page in a compressed list of many equal ones. */
const LEAST_BYTES_PER_PAGE = 16

type Input = Pick<Task<unknown>, 'input' | 'files' | 'params'>

/** The most that a task can cost at this target. */
export function taskWorstCase({ doer, price, feature, provider }: TaskTarget, task: Input): WorstCase {
  if (doer.kind === 'adapter') {
    if (provider.free) return fixedCost(0)
    return fixedCost(price && costOfUnits(price, mostUnits(feature, task)))
  }
  if (doer.kind === 'embeddings') return tokenWorstCase(doer.embedder.entry, bytesOf(task) + sizeOf(task))
  if (doer.kind === 'images') return imageWorstCase(drawn(task), Object.keys(task.files).length, doer.drawer.entry)
  const output = Math.max(doer.chat.entry?.output ?? USUAL_MAX_OUTPUT, ...numbersIn(task.params, LENGTHS))
  const prompt = bytesOf(task) + tokensOfFiles(task, doer.chat.entry?.context ?? USUAL_CONTEXT)
  const input = MOST_REQUESTS * (prompt + INSTRUCTION_TOKENS) + output
  return tokenWorstCase(pricedFor(doer.chat.entry, [task.params]), input, MOST_REQUESTS * output)
}

/** What an adapter's provider most likely bills: the units that the request shows, or else the most that there can be. */
export function likelyTaskBill({ price, feature }: TaskTarget, task: Input): Bill {
  return { cost: price && costOfUnits(price, mostUnits(feature, task, 1)) }
}

/** With the parameters that only the provider reads, whose meaning is unknown here. */
function bytesOf({ input, params }: Input): number {
  return bytesIn(input) + bytesIn(params)
}

function mostUnits(feature: Feature, task: Input, margin = MARGIN): number {
  const counts = [...numbersIn(task.input, COUNTS), ...numbersIn(task.params, COUNTS)]
  if (feature.feature === 'web') return unitsOfWeb(feature, task.input, counts)
  if (feature.unit === 'second' && Object.keys(task.files).length > 0) return Math.max(1, secondsOf(task), ...counts)
  const measured = measuredUnits(feature, { ...task, files: withMostPages(task.files) })
  const isEstimate = feature.unit === 'token' || feature.unit === 'second'
  return Math.max(1, isEstimate ? measured * margin : measured, ...counts)
}

function numbersIn(fields: unknown, names: readonly string[]): number[] {
  return names.map((name) => toNumber(recordOf(fields)[name] ?? 0)).filter(Number.isFinite)
}

function secondsOf({ files }: Input): number {
  const each = Object.values(files).map(({ type, size, mostSeconds: fileSeconds }) => {
    return type.startsWith('video/') ? mostVideoSeconds(size) : (fileSeconds ?? mostSeconds(size))
  })
  return each.reduce((sum, seconds) => sum + seconds, 0)
}

/** What a chat model reads of files: of texts every byte, of pictures their size, and of others as much as it can. */
function tokensOfFiles({ files }: Input, context: number): number {
  const each = Object.values(files).map(({ type, size, mostPages = 1 }) => {
    if (type.startsWith('image/')) return mostPages * TOKENS_PER_PICTURE
    return type.startsWith('text/') ? size : Math.max(size, context)
  })
  return each.reduce((sum, tokens) => sum + tokens, 0)
}

/** A document whose pages cannot be counted, because it is encrypted or damaged, has as many as fit into it. */
function withMostPages(files: Input['files']): Input['files'] {
  const bounded = Object.entries(files).map(([name, file]) => {
    const most = Math.min(MOST_PAGES, Math.ceil(file.size / LEAST_BYTES_PER_PAGE))
    const { type, pages = null, mostPages = null } = file
    return [
      name,
      type === 'application/pdf' ? { ...file, pages: pages ?? most } : { ...file, pages: mostPages },
    ] as const
  })
  return Object.fromEntries(bounded)
}

function sizeOf({ files }: Input): number {
  return Object.values(files).reduce((sum, { size }) => sum + size, 0)
}

function drawn({ input, params }: Input) {
  const { text, resolution, num_images } = input as Record<string, unknown>
  const n = Math.max(1, toNumber(num_images ?? 1) || 1)
  const size = typeof resolution === 'string' ? resolution : undefined
  const about = { mode: 'generate' as const, prompt: toText(text ?? ''), n, size, images: [], mask: undefined }
  return { ...about, quality: undefined, responseFormat: undefined, extra: params }
}
