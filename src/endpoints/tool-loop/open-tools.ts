import type { Call } from '../../calls/call.ts'
import { chatTargetOrNone } from '../../calls/routing/chat-targets.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { AskedChat } from '../../calls/upstream/native-codec.ts'
import { canSearch } from '../../calls/upstream/search-tools.ts'
import type { SearchWhen } from '../../platform/config/search-settings.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../base/schema/record.ts'
import { cannotTake } from '../../translation/dialects/cannot-take.ts'
import { isOurApproval } from '../../translation/formats/responses/step-items.ts'
import { namesGatewayTool, type ToolWishes, wishesOf, withoutTaken } from '../../translation/formats/gateway/wishes.ts'
import type { GatewayTool } from './gateway-tool.ts'
import { isListedIn, mcpTools } from './mcp-tools.ts'
import { Toolset } from './toolset.ts'
import { turnChoices } from './turn-choices.ts'
import { fetchTool } from './web/fetch-tool.ts'
import { searchTool } from './web/search-tool.ts'

/** More functions than this are refused by most providers. */
const MAX_TOOLS = 128

/** Tools of the gateway that a request has named, and the request without them. */
export type WantedTools = {
  asked: AskedChat
  original: AskedChat
  wishes: ToolWishes
  taken: ReadonlySet<Kind>
  approved: ReadonlySet<string>
}
type Kind = 'mcp' | 'search' | 'fetch'

/** Undefined if the gateway runs none, which is found out with one look at the tools. */
export function wantedTools(original: AskedChat, call: Call, services: CallServices): WantedTools | undefined {
  if (!namesGatewayTool(original)) return undefined
  const wishes = wishesOf(original)
  const taken = new Set(kindsTaken(wishes, original, call, services))
  if (taken.size === 0) return undefined
  const approved = new Set(approvedIn(original))
  return { asked: withoutTaken(original, taken), original, wishes, taken, approved }
}

function* kindsTaken(wishes: ToolWishes, asked: AskedChat, call: Call, services: CallServices): Generator<Kind> {
  if (wishes.mcp.length > 0 && !isForProvider(wishes, services)) yield 'mcp'
  const { search } = services.config
  if (!search || (!wishes.search && !wishes.fetch)) return
  const when = search.projects[call.caller.project ?? ''] ?? search.when
  if (wishes.search && isTaken(when, asked, call, services)) yield 'search'
  if (wishes.fetch && isTaken(when, asked, call, services)) yield 'fetch'
}

/** The operator lets providers reach servers that callers name, and this request names no server of the gateway. */
function isForProvider({ mcp }: ToolWishes, { config, mcp: { servers } }: CallServices): boolean {
  if (!config.mcp.atProviders) return false
  return mcp.every(({ label, url }) => url !== undefined && !servers.some(({ name }) => name === label))
}

/** Where the model that comes first can do it itself, the gateway leaves it to the provider, unless it always does it. */
function isTaken(when: SearchWhen, asked: AskedChat, { caller }: Call, services: CallServices): boolean {
  if (when !== 'missing') return when === 'always'
  const target = chatTargetOrNone(asked.request, caller, services)
  return !target || !canSearch(target, asked, asked.native)
}

/**
 * The calls of tools that the caller approves with this request, by the ids that they have in the conversation. Those that were
 * approved before an earlier answer were made for it.
 */
function approvedIn({ native }: AskedChat): string[] {
  if (native?.format !== 'responses') return []
  const items = recordsIn(native.body.input)
  return items
    .slice(items.findLastIndex((item) => !isOfCaller(item)) + 1)
    .filter((item) => item.type === 'mcp_approval_response' && item.approve === true && isOurApproval(item))
    .map((item) => textOf(item.approval_request_id))
}

/** Whether an item of a conversation is no part of an answer. */
function isOfCaller({ type = 'message', role }: Fields): boolean {
  if (type === 'message') return role !== 'assistant'
  return type === 'mcp_approval_response' || textOf(type).endsWith('_output')
}

/** Asks the servers for their tools, and checks that the model can be offered all of them. */
export async function openTools(wanted: WantedTools, call: Call, services: CallServices): Promise<Toolset> {
  const { wishes, taken, original } = wanted
  const { search } = services.config
  const servers = taken.has('mcp') ? await mcpTools(wishes.mcp, call, services) : []
  const tools: GatewayTool[] = servers.flatMap(({ tools: ofServer }) => ofServer)
  if (taken.has('search') && wishes.search && search) tools.push(searchTool(wishes.search, search, services))
  if (taken.has('fetch') && wishes.fetch) tools.push(fetchTool(wishes.fetch, services))
  check(tools, wanted)
  const isShown = original.native?.format === 'responses'
  const lists = servers.map(({ list }) => list).filter((list) => !isListedIn(original.native?.body.input, list))
  return new Toolset({
    tools,
    lists: isShown ? lists : [],
    choices: turnChoices(original, tools),
    maxCalls: wishes.maxCalls,
  })
}

function check(tools: readonly GatewayTool[], { asked, original }: WantedTools): void {
  const own = new Set(recordsIn(asked.request.tools).map(({ function: called, name }) => recordOf(called).name ?? name))
  const double = tools.find(({ functionName }) => own.has(functionName))
  if (double) throw cannotTake(['tools'], `"${double.functionName}" is the name of a tool of the gateway`)
  const twice = tools.find((tool, at) => tools.findIndex(({ functionName }) => functionName === tool.functionName) < at)
  if (twice) throw cannotTake(['tools'], `the tool "${twice.name}" of "${twice.server}" is there twice`)
  if (own.size + tools.length > MAX_TOOLS)
    throw cannotTake(
      ['tools'],
      `these are ${own.size + tools.length} tools: choose at most ${MAX_TOOLS} with allowed_tools`,
    )
  if (original.native?.format !== 'responses' && tools.some(({ needsApproval }) => needsApproval))
    throw cannotTake(
      ['tools'],
      'this format cannot ask for an approval: set require_approval to "never", or use /v3/responses',
    )
}
