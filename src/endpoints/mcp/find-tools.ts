import { type Fields, recordOf, textOf } from '../../base/schema/record.ts'
import { listModels } from '../../calls/routing/models.ts'
import { textResult } from '../../translation/mcp/tools.ts'
import { type OfferedTool, type Outcome, PREFIX, type ToolKit } from './offered-tool.ts'
import { dataResult, outputSchema } from './tool-results.ts'
import { inputSchema } from './tool-schema.ts'

// Lists of all tools make models choose worse and cost tokens in every request, so that most tools are found when they are needed.

const KINDS = ['chat', 'image', 'embedding', 'moderation', 'speech', 'transcription', 'rerank'] as const
const FOUND = 8
const LISTED_MODELS = 100
const SHORT_WORD = 2

export const FIND_TOOLS: OfferedTool = {
  tool: {
    name: `${PREFIX}find_tools`,
    title: 'Find more tools',
    description:
      'Finds further tools of this gateway for a need: OCR and document parsing, translation, detection in images and texts, web pages, ' +
      `speech, video … Returns their names and input schemas. Call them by their name, or with ${PREFIX}run_tool.`,
    inputSchema: inputSchema(
      { query: { type: 'string', description: 'What is to be done, in a few words, such as `read an invoice`.' } },
      ['query'],
    ),
    outputSchema: outputSchema({ type: 'array', items: { type: 'object' } }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  endpoints: [],
  run: findTools,
}

async function findTools({ query }: Fields, kit: ToolKit): Promise<Outcome> {
  const words = wordsOf(textOf(query))
  const ranked = [...kit.tools.values()]
    .map(({ tool }) => ({ tool, score: scoreOf(words, tool) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
  const found = ranked.slice(0, FOUND).map(({ tool: { name, title, description, inputSchema } }) => {
    return { name, title, description, inputSchema }
  })
  if (found.length > 0) return { result: await dataResult(found, {}, kit) }
  const names = [...kit.tools.keys()].join(', ')
  return { result: await dataResult([], {}, kit, `No tool fits these words. These are all: ${names}.`) }
}

/** A word in the name of a tool counts more than one in its description. */
function scoreOf(words: readonly string[], { name, title = '', description = '' }: OfferedTool['tool']): number {
  const named = wordsOf(`${name} ${title}`)
  const described = wordsOf(description)
  return words.reduce((sum, word) => sum + 3 * countIn(named, word) + countIn(described, word), 0)
}

/** Words that begin alike are the same word in another form. */
function countIn(words: readonly string[], word: string): number {
  return words.some((one) => one.startsWith(word) || (one.length > SHORT_WORD + 1 && word.startsWith(one))) ? 1 : 0
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > SHORT_WORD && word !== 'gatehouse')
}

export const RUN_TOOL: OfferedTool = {
  tool: {
    name: `${PREFIX}run_tool`,
    title: 'Run a tool that was found',
    description: `Runs a tool that ${PREFIX}find_tools has found and that is not in your list.`,
    inputSchema: inputSchema(
      {
        name: { type: 'string', description: 'The name of the tool.' },
        arguments: { type: 'object', description: 'Its arguments, as its input schema says.' },
      },
      ['name'],
    ),
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  },
  endpoints: [],
  run: async (args, kit) => {
    const name = textOf(args.name)
    const found = kit.tools.get(name) ?? kit.tools.get(`${PREFIX}${name}`)
    if (found && found !== RUN_TOOL) return await found.run(recordOf(args.arguments), kit)
    return { result: textResult(`There is no tool of this name. Ask ${FIND_TOOLS.tool.name} for what you need.`, true) }
  },
}

export const LIST_MODELS: OfferedTool = {
  tool: {
    name: `${PREFIX}list_models`,
    title: 'List models',
    description: 'The models that you can use, with their kind and price.',
    inputSchema: inputSchema({
      kind: { type: 'string', enum: [...KINDS], description: 'Only models of this kind.' },
      search: { type: 'string', description: 'Only models whose name contains this.' },
    }),
    outputSchema: outputSchema({ type: 'object' }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  endpoints: ['GET /v3/models'],
  run: listKnown,
}

async function listKnown({ kind, search }: Fields, kit: ToolKit): Promise<Outcome> {
  const text = textOf(search).toLowerCase()
  const kinds = KINDS.filter((one) => !textOf(kind) || one === kind)
  const fitting = kinds.flatMap((type) => {
    const listed = listModels(kit.caller, kit.services, { type, all: false, reported: [] })
    return listed
      .filter(({ id }) => text === '' || id.toLowerCase().includes(text))
      .map(({ id, context_length, pricing }) => ({ id, kind: type, context_length, pricing }))
  })
  return { result: await dataResult({ models: fitting.slice(0, LISTED_MODELS), total: fitting.length }, {}, kit) }
}
