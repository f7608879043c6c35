import type { ChatRequest } from '../../../contract/chat.ts'
import { type Fields, isRecord, listOf, textOf } from '../../../base/schema/record.ts'
import { elementsOf, fieldsOf } from './names.ts'
import { toJsonSchema } from './schema.ts'

type ToolFields = Pick<ChatRequest, 'tools' | 'tool_choice' | 'web_search_options'>

/** Google has about ten kinds of tools. */
const MAX_KINDS = 50
const SEARCHES: readonly string[] = ['googleSearch', 'googleSearchRetrieval', 'enterpriseWebSearch']

/** Functions and web search. Tools that only Google can run stay as they are, if a target is Google's. */
export function toolFields({ tools, toolConfig }: Fields, keepsOwn: boolean): ToolFields {
  const declared = elementsOf(tools).flatMap(declarationsIn)
  const own = keepsOwn ? elementsOf(tools).flatMap(ownTools) : []
  const listed = [...declared.map(asFunction), ...own]
  const search = elementsOf(tools).some((tool) => SEARCHES.some((name) => isRecord(tool[name])))
  return {
    ...(listed.length > 0 && { tools: listed }),
    ...(declared.length > 0 && choiceOf(toolConfig)),
    ...(search && { web_search_options: {} }),
  }
}

/** The tools of Google that no other format can express, by their names. */
export function ownToolNames(body: object): string[] {
  return elementsOf((body as Fields).tools)
    .flatMap(ownTools)
    .flatMap((tool) => Object.keys(tool))
}

/** Each member of a tool is a tool of its own. */
function ownTools(tool: Fields): Fields[] {
  const names = Object.keys(tool)
    .slice(0, MAX_KINDS)
    .filter((name) => name !== 'functionDeclarations' && !SEARCHES.includes(name))
  return names.filter((name) => tool[name] != null).map((name) => ({ [name]: tool[name] }))
}

function declarationsIn({ functionDeclarations }: Fields): Fields[] {
  return elementsOf(functionDeclarations)
}

function asFunction({ name, description, parameters, parametersJsonSchema }: Fields): Fields {
  const schema = parametersJsonSchema ?? (parameters == null ? undefined : toJsonSchema(parameters))
  return {
    type: 'function',
    function: {
      name,
      ...(textOf(description) && { description }),
      ...(isRecord(schema) && { parameters: schema }),
    },
  }
}

/** `VALIDATED` is a free choice whose arguments fit the schema. */
export function choiceOf(toolConfig: unknown): Pick<ChatRequest, 'tool_choice'> {
  const { mode, allowedFunctionNames } = fieldsOf(fieldsOf(toolConfig).functionCallingConfig)
  const names = listOf(allowedFunctionNames).filter((name) => typeof name === 'string')
  const word = textOf(mode).toUpperCase()
  if (word === 'NONE') return { tool_choice: 'none' }
  if (word !== 'ANY') return word === 'AUTO' || word === 'VALIDATED' ? { tool_choice: 'auto' } : {}
  if (names.length === 0) return { tool_choice: 'required' }
  const tools = names.map((name) => ({ type: 'function', function: { name } }))
  return { tool_choice: tools.length === 1 ? tools[0]! : allowed(tools) }
}

function allowed(tools: Fields[]): ChatRequest['tool_choice'] {
  return { type: 'allowed_tools', allowed_tools: { mode: 'required', tools } }
}
