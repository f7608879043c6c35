import type { ChatRequest } from '../../../contract/chat.ts'
import type { NativeAsk } from '../../wire/native-ask.ts'
import { type Fields, isRecord, listOf, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'

// Which tools of the gateway a request names, in the words of its own format.

type AskedTools = { request: ChatRequest; native?: NativeAsk | undefined }
type Format = NativeAsk['format'] | 'chat'

/** A tool by its own name, and whether its server says that it changes nothing. */
export type ToolFacts = { name: string; isReadOnly: boolean }

/** The tools of an MCP server. */
export type McpWish = {
  label: string
  /** An address that the caller names itself, or a connector of the provider. */
  url?: string | undefined
  /** Whether the model may see this tool. */
  allows(tool: ToolFacts): boolean
  /** Whether the caller wants to be asked before this tool is called. */
  needsApproval(tool: ToolFacts): boolean
  /** The caller sent a credential for the server. */
  hasCredential: boolean
}

/** A web search, or reading a page. */
export type WebWish = {
  maxUses?: number | undefined
  allowedDomains: readonly string[]
  blockedDomains: readonly string[]
  location?: Fields | undefined
}

export type ToolWishes = {
  mcp: McpWish[]
  search?: WebWish | undefined
  fetch?: WebWish | undefined
  /** How many calls of these tools there may be. */
  maxCalls?: number | undefined
}

/** Which kind of tool of the gateway this is, if it may be one. */
type Kind = 'mcp' | 'search' | 'fetch'

/** Whether the request names a tool that the gateway may run. It looks at each tool once. */
export function namesGatewayTool({ request, native }: AskedTools): boolean {
  if (request.web_search_options || (native?.format === 'messages' && native.body.mcp_servers)) return true
  const tools = native ? native.body.tools : request.tools
  return Array.isArray(tools) && tools.some((tool) => isRecord(tool) && kindsOf(tool).length > 0)
}

/** Whether fields that are sent to a provider name servers of tools, in the words of any format. */
export function namesServers({ tools, mcp_servers }: Fields): boolean {
  return listOf(mcp_servers).length > 0 || recordsIn(tools).some((tool) => kindsOf(tool).includes('mcp'))
}

/** A tool of Gemini may be several at once. */
function kindsOf(tool: Fields): Kind[] {
  const { type } = tool
  if (typeof type === 'string') return OF_TYPE.find(([pattern]) => pattern.test(type))?.[1] ?? []
  return OF_GEMINI.flatMap(([names, kind]) => (names.some((name) => tool[name] != null) ? [kind] : []))
}

const OF_TYPE: readonly (readonly [RegExp, Kind[]])[] = [
  [/^(mcp|mcp_toolset)$/, ['mcp']],
  [/^web_search/, ['search']],
  [/^web_fetch/, ['fetch']],
]
const OF_GEMINI: readonly (readonly [string[], Kind])[] = [
  [['mcpServers', 'mcp_servers'], 'mcp'],
  [
    ['googleSearch', 'google_search', 'googleSearchRetrieval', 'google_search_retrieval', 'enterpriseWebSearch'],
    'search',
  ],
  [['urlContext', 'url_context'], 'fetch'],
]

export function wishesOf({ request, native }: AskedTools): ToolWishes {
  const format = native?.format ?? 'chat'
  const body: Fields = native?.body ?? request
  const tools = recordsIn(body.tools)
  const search = tools.find((tool) => kindsOf(tool).includes('search')) ?? request.web_search_options ?? undefined
  const fetch = tools.find((tool) => kindsOf(tool).includes('fetch'))
  const maxCalls = toNumber(body.max_tool_calls ?? Number.NaN)
  return {
    mcp: [
      ...tools.filter((tool) => kindsOf(tool).includes('mcp')).flatMap((tool) => mcpWishes(tool, body, format)),
      ...(format === 'messages' ? serversAlone(body) : []),
    ],
    search: search && webWish(search),
    fetch: fetch && webWish(fetch),
    maxCalls: maxCalls >= 0 ? maxCalls : undefined,
  }
}

function mcpWishes(tool: Fields, body: Fields, format: Format): McpWish[] {
  if (tool.type === 'mcp_toolset') return [toolset(tool, body)]
  const listed = tool.mcpServers ?? tool.mcp_servers
  if (tool.type !== 'mcp') return recordsIn(listed).map(geminiServer)
  const { server_label, server_url, connector_id, allowed_tools, require_approval, authorization, headers } = tool
  const allowed = toolFilter(allowed_tools)
  return [
    {
      label: textOf(server_label),
      url: textOf(server_url) || textOf(connector_id) || undefined,
      allows: (named) => allowed?.(named) ?? true,
      needsApproval: approvalRule(require_approval, format),
      hasCredential: authorization != null || (isRecord(headers) && Object.keys(headers).length > 0),
    },
  ]
}

/** OpenAI asks before every call unless it is told otherwise. Formats that cannot ask do so only if they are told to. */
function approvalRule(required: unknown, format: Format): (tool: ToolFacts) => boolean {
  if (required === 'never') return () => false
  if (!isRecord(required)) return () => required === 'always' || format === 'responses'
  const [always, never] = [toolFilter(required.always), toolFilter(required.never)]
  return (tool) => (always ? always(tool) : !never?.(tool))
}

/** Names of tools, or what OpenAI calls a filter of them. Undefined if it says nothing. */
function toolFilter(filter: unknown): ((tool: ToolFacts) => boolean) | undefined {
  const { tool_names, read_only } = Array.isArray(filter) ? { tool_names: filter } : recordOf(filter)
  const names = Array.isArray(tool_names) ? new Set(tool_names.map(textOf)) : undefined
  if (!names && typeof read_only !== 'boolean') return undefined
  return ({ name, isReadOnly }) => (names?.has(name) ?? true) && (read_only ?? isReadOnly) === isReadOnly
}

/** Anthropic names servers and toolsets apart from each other. */
function toolset({ mcp_server_name, default_config, configs }: Fields, body: Fields): McpWish {
  const label = textOf(mcp_server_name)
  const server = recordsIn(body.mcp_servers).find(({ name }) => name === label)
  const ofTools = new Map(Object.entries(recordOf(configs)).map(([name, config]) => [name, recordOf(config).enabled]))
  const isAllowed = recordOf(default_config).enabled !== false
  return {
    label,
    url: textOf(server?.url) || undefined,
    allows: ({ name }) => (ofTools.get(name) ?? isAllowed) === true,
    needsApproval: () => false,
    hasCredential: server?.authorization_token != null,
  }
}

/** Before there were toolsets, Anthropic's servers said themselves which of their tools may be used. */
function serversAlone({ mcp_servers, tools }: Fields): McpWish[] {
  const inToolsets = new Set(recordsIn(tools).map(({ mcp_server_name }) => mcp_server_name))
  return recordsIn(mcp_servers).flatMap(({ name, url, tool_configuration, authorization_token }) => {
    const { enabled, allowed_tools } = recordOf(tool_configuration)
    if (inToolsets.has(name) || enabled === false) return []
    const allows = toolFilter(allowed_tools) ?? (() => true)
    const hasCredential = authorization_token != null
    return [{ label: textOf(name), url: textOf(url) || undefined, allows, needsApproval: () => false, hasCredential }]
  })
}

function geminiServer({ name, streamableHttpTransport, streamable_http_transport }: Fields): McpWish {
  const { url, headers } = recordOf(streamableHttpTransport ?? streamable_http_transport)
  return {
    label: textOf(name),
    url: textOf(url) || undefined,
    allows: () => true,
    needsApproval: () => false,
    hasCredential: isRecord(headers) && Object.keys(headers).length > 0,
  }
}

function webWish(tool: Fields): WebWish {
  const { filters, user_location, max_uses, allowed_domains, blocked_domains, excludeDomains } = tool
  const { allowed_domains: filtered, blocked_domains: excluded } = recordOf(filters)
  const where = recordOf(user_location)
  const location = isRecord(where.approximate) ? where.approximate : where
  return {
    maxUses: typeof max_uses === 'number' && max_uses >= 0 ? max_uses : undefined,
    allowedDomains: listOf(allowed_domains ?? filtered)
      .map(textOf)
      .filter(Boolean),
    blockedDomains: listOf(blocked_domains ?? excluded ?? excludeDomains)
      .map(textOf)
      .filter(Boolean),
    location: Object.keys(location).length > 0 ? location : undefined,
  }
}

/** The request without the tools that the gateway runs. */
export function withoutTaken<Asked extends AskedTools>(asked: Asked, taken: ReadonlySet<Kind>): Asked {
  const { request, native } = asked
  const { web_search_options, ...rest } = request
  const searching = web_search_options && !taken.has('search') ? { web_search_options } : {}
  const tools = request.tools && remaining(request.tools, taken)
  return {
    ...asked,
    source: undefined,
    request: { ...rest, ...searching, ...(tools && { tools: tools.length > 0 ? tools : undefined }) },
    native: native && nativeWithout(native, taken),
  }
}

function nativeWithout(native: NativeAsk, taken: ReadonlySet<Kind>): NativeAsk {
  const { mcp_servers: _, tools, ...body } = native.body
  const left = remaining(listOf(tools), taken)
  const untranslatable = native.untranslatable?.filter(({ field, type }) => {
    const name = type ?? field.replace(/^tools\./, '')
    return ![...kindsOf({ type: name }), ...kindsOf({ [name]: {} })].some((kind) => taken.has(kind))
  })
  return {
    ...native,
    isStale: true,
    body: { ...body, ...(left.length > 0 && { tools: left }) },
    untranslatable: untranslatable?.length ? untranslatable : undefined,
  }
}

function remaining(tools: readonly unknown[], taken: ReadonlySet<Kind>): Fields[] {
  return tools.filter(isRecord).flatMap((tool) => {
    const kinds = kindsOf(tool).filter((kind) => taken.has(kind))
    if (kinds.length === 0) return [tool]
    const names = OF_GEMINI.flatMap(([own, kind]) => (kinds.includes(kind) ? own : []))
    const left = Object.entries(tool).filter(([name, value]) => value != null && !names.includes(name))
    return typeof tool.type === 'string' || left.length === 0 ? [] : [Object.fromEntries(left)]
  })
}
