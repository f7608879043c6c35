import type { ChatRequest } from '../../contract/chat.ts'
import type { AskedChat } from '../../calls/upstream/native-codec.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../base/schema/record.ts'
import { cannotTake } from '../../translation/dialects/cannot-take.ts'
import { type ChosenTool, choiceWish } from '../../translation/formats/gateway/choice.ts'
import type { GatewayTool } from './gateway-tool.ts'

/** How one turn of the model may choose among the tools, in the words of the chat format and in those of responses. */
export type TurnChoice = { chat: ChatRequest['tool_choice']; responses: unknown }

/** Absent: as the request says it itself. */
export type TurnChoices = { first?: TurnChoice; later?: TurnChoice }

type Reference = { chat: Fields | undefined; responses: Fields }

/**
 * The choice of the caller, with the functions that stand for the tools of the gateway. A tool that has to be called is for the first
 * turn: otherwise the model could never answer. What may be called at all holds for every turn.
 */
export function turnChoices(original: AskedChat, tools: readonly GatewayTool[]): TurnChoices {
  const wish = choiceWish(original)
  if (!wish) return {}
  const { mode, tools: named, isList } = wish
  const references = named?.flatMap((tool) => referencesTo(tool, original, tools))
  const later = mode === 'none' ? choice('none') : isList && references ? choice('auto', references) : choice('auto')
  return { first: choice(mode, references), later }
}

function choice(mode: string, references?: readonly Reference[]): TurnChoice {
  if (!references) return { chat: mode as ChatRequest['tool_choice'], responses: mode }
  const [only] = references
  if (mode === 'required' && references.length === 1)
    return { chat: only!.chat as TurnChoice['chat'], responses: only!.responses }
  const listed = references.flatMap(({ chat }) => chat ?? [])
  return {
    chat: { type: 'allowed_tools', allowed_tools: { mode, tools: listed } } as TurnChoice['chat'],
    responses: { type: 'allowed_tools', mode, tools: references.map(({ responses }) => responses) },
  }
}

/** A server that is named without a tool stands for all of its tools. */
function referencesTo({ own, chat }: ChosenTool, original: AskedChat, tools: readonly GatewayTool[]): Reference[] {
  const found = namedBy(own, original, tools)
  if (own.type === 'mcp' && found.length === 0)
    throw cannotTake(['tool_choice'], 'it names no tool of a server in "tools"')
  if (found.length === 0) return [{ chat, responses: own }]
  return found.map(({ functionName: name }) => {
    return { chat: { type: 'function', function: { name } }, responses: { type: 'function', name } }
  })
}

/** Anthropic names every tool by its name, OpenAI those of the provider by their type. */
function namedBy(own: Fields, original: AskedChat, tools: readonly GatewayTool[]): GatewayTool[] {
  const [type, name] = [textOf(own.type), textOf(own.name)]
  const server = textOf(own.server_label)
  if (type === 'mcp')
    return tools.filter((tool) => tool.kind === 'mcp' && tool.server === server && (name === '' || tool.name === name))
  const word = type === 'tool' ? name : type
  const kind = /^web_search/.test(word) ? 'search' : /^web_fetch/.test(word) ? 'fetch' : undefined
  if (kind) return tools.filter((tool) => tool.kind === kind)
  if (type !== 'tool' || isFunctionOfCaller(name, original)) return []
  return tools.filter((tool) => tool.kind === 'mcp' && tool.name === name)
}

function isFunctionOfCaller(name: string, { request }: AskedChat): boolean {
  return recordsIn(request.tools).some((tool) => recordOf(tool.function).name === name)
}
