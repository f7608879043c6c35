import type { PlacedBlock } from '../wire/answer.ts'
import { tryParse } from '../json/try-parse.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../base/schema/record.ts'
import { GATEWAY_MAKER, readGateway } from './gateway/steps.ts'
import { readAnthropic, readBedrock, readGemini } from './maker-steps.ts'
import { newStep, type ResponsesItem, type ReadBlock, type ServerStep } from './server-step.ts'

/** How the blocks of a maker are read. `member` is the member of a carried block that has the maker's own block. */
type Maker = { member?: string; read: ReadBlock }

/** Makers whose models use no tools by themselves: their blocks are no steps. */
const NO_STEPS: Maker = { read: () => [] }

const MAKERS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ['anthropic', { read: readAnthropic }],
  ['gemini', { member: 'part', read: readGemini }],
  ['bedrock', { member: 'block', read: readBedrock }],
  [GATEWAY_MAKER, { read: readGateway }],
  ['responses', { member: 'item', read: (item) => [{ item }] }],
  ['cohere', NO_STEPS],
  ['mistral', NO_STEPS],
  ['parts', NO_STEPS],
])

/** Reads steps from blocks, one by one or all at once. A step is complete with its result. */
export class StepReader {
  readonly #pending = new Map<string, ServerStep>()
  readonly #executed = new Set<unknown>()
  #read = 0

  add({ type, block }: PlacedBlock): (ServerStep | ResponsesItem)[] {
    this.#read++
    return MAKERS.get(type)?.read(block, this.#pending) ?? []
  }

  /** Whether a block begins or ends a step. */
  takes(placed: PlacedBlock): boolean {
    const before = this.#pending.size
    return this.add(placed).length > 0 || this.#pending.size > before
  }

  /** The blocks of a complete content, except for those that were added one by one. Nothing follows them. */
  rest(content: unknown): (ServerStep | ResponsesItem)[] {
    return rawBlocks(content)
      .slice(this.#read)
      .flatMap((placed) => this.add(placed))
  }

  /** Groq lists what its models did in a field of its own; in a stream, some entries come twice. */
  executed(tools: unknown): ServerStep[] {
    return recordsIn(tools).flatMap((tool, at) => {
      const index = tool.index ?? at
      if (tool.output == null || this.#executed.has(index)) return []
      this.#executed.add(index)
      return executedStep(tool)
    })
  }

  /** Steps that got no result. */
  end(): ServerStep[] {
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    return pending
  }
}

/** The blocks that a content carries unchanged. */
export function rawBlocks(content: unknown): PlacedBlock[] {
  const { type: name, blocks } = recordOf(content)
  const type = textOf(name)
  const maker = MAKERS.get(type)
  if (!maker) return []
  return recordsIn(blocks).flatMap((carried): PlacedBlock[] => {
    // A turn of the model, with what its provider did by itself.
    if (type === GATEWAY_MAKER && carried.type === 'turn') return rawBlocks(carried.provider_content)
    const block = maker.member === undefined ? carried : carried[maker.member]
    return isRecord(block) && !(block === carried && REFERENCES.has(block.type)) ? [{ type, block }] : []
  })
}

const REFERENCES: ReadonlySet<unknown> = new Set(['text', 'thinking', 'tool_use'])

const CODE = /python|code/i
const PAGE = /visit|browse|page/i

function executedStep({ type, name, arguments: json, output, search_results }: Fields): ServerStep[] {
  const called = textOf(type) || textOf(name)
  const kind = CODE.test(called) ? 'code' : PAGE.test(called) ? 'fetch' : 'search'
  const results = recordsIn(recordOf(search_results).results)
  const sources = results.map(({ url, title }) => ({ url: textOf(url), title: textOf(title) }))
  const input = recordOf(tryParse(textOf(json) || '{}'))
  return [newStep(kind, { name: called, input, output: textOf(output), sources })]
}
