import { allowsTool, type McpServer } from '../../platform/config/mcp/mcp-server.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../base/schema/record.ts'
import { KB, MINUTE_MS } from '../../base/units/units.ts'
import { orAborted } from '../or-aborted.ts'
import { type Mirrored, mirroredIn, withoutMarks } from '../../translation/mcp/param-headers.ts'
import { type Tool, TOOL_NAME } from '../../translation/mcp/tools.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { WireFailure } from '../../translation/wire/wire.ts'
import type { McpClient } from './mcp-client.ts'

const MAX_PAGES = 20
const MAX_TOOLS = 500
const MAX_SCHEMA_CHARS = 64 * KB
const MAX_SCHEMA_DEPTH = 32
const MAX_DESCRIPTION_CHARS = 4_000
/** Characters that a person does not see, and a model reads. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Variation_Selector}]/gu

/** A list is asked for again after this time at the latest, and after this one at the earliest. */
const MOST_LIFE_MS = 5 * MINUTE_MS
const LEAST_LIFE_MS = 10_000
const DEFAULT_LIFE_MS = MINUTE_MS
const LIST_TIMEOUT_MS = 20_000
/** The gateway itself asks for lists, and uses no session of a caller for that. */
const LISTER = 'mcp:lists'

type Asks = Pick<McpClient, 'request'>

/** A tool of a server, and the arguments that its server wants in headers, too. */
export type ServerTool = Tool & { mirrored: readonly Mirrored[] }

type Listed = { server: McpServer; tools: Promise<readonly ServerTool[]>; until: number }

/** The tools of the configured servers. There are few servers, and their lists are the same for all callers. */
export class ServerTools {
  readonly #client: Asks
  readonly #monotonic: () => number
  readonly #lists: Map<string, Listed>

  constructor(client: Asks, monotonic: () => number, lists = new Map<string, Listed>()) {
    this.#client = client
    this.#monotonic = monotonic
    this.#lists = lists
  }

  /** The same lists, which are asked for with another client from now on. */
  askedBy(client: Asks): ServerTools {
    return new ServerTools(client, this.#monotonic, this.#lists)
  }

  /** The tools of a server that the operator allows. */
  async of(server: McpServer, signal: AbortSignal): Promise<readonly ServerTool[]> {
    return (await this.all(server, signal)).filter(({ name }) => allowsTool(server, name))
  }

  /** Also what callers may not use. A caller who leaves does not stop the list, for which others may wait. */
  async all(server: McpServer, signal: AbortSignal): Promise<readonly ServerTool[]> {
    const known = this.#lists.get(server.name)
    const isFresh = known?.server === server && known.until > this.#monotonic()
    const listed = isFresh ? known : this.#ask(server)
    return await orAborted(listed.tools, signal)
  }

  #ask(server: McpServer): Listed {
    const asked = this.#list(server).catch((error) => {
      throw isOutOfTime(error) ? tooLate(error, server) : error
    })
    const listed: Listed = {
      server,
      until: this.#monotonic() + LIST_TIMEOUT_MS,
      tools: asked.then(({ tools, lifeMs }) => {
        listed.until = this.#monotonic() + lifeMs
        return tools
      }),
    }
    this.#lists.set(server.name, listed)
    listed.tools.catch(() => {
      if (this.#lists.get(server.name) === listed) this.#lists.delete(server.name)
    })
    return listed
  }

  async #list(server: McpServer): Promise<{ tools: ServerTool[]; lifeMs: number }> {
    const asking = { owner: LISTER, signal: AbortSignal.timeout(LIST_TIMEOUT_MS), timeoutMs: LIST_TIMEOUT_MS }
    const tools = new Map<string, ServerTool>()
    const seen = new Set<string>()
    let lifeMs = DEFAULT_LIFE_MS
    let cursor: string | undefined
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await this.#client.request(server, 'tools/list', cursor ? { cursor } : {}, asking)
      if (!Array.isArray(result.tools))
        throw new UpstreamProblem('garbage', `the MCP server ${server.name} sent no list of tools`)
      for (const tool of recordsIn(result.tools).map(readTool))
        if (tool && tools.size < MAX_TOOLS) tools.set(tool.name, tool)
      lifeMs = lifeOf(result)
      cursor = textOf(result.nextCursor) || undefined
      // A list that goes on without end, or in a circle, is as long as this.
      if (!cursor || tools.size >= MAX_TOOLS || seen.has(cursor)) break
      seen.add(cursor)
    }
    return { tools: [...tools.values()], lifeMs }
  }
}

/** All pages together have taken too long. */
function isOutOfTime(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

function tooLate(error: unknown, { name }: McpServer): WireFailure {
  return new WireFailure('headers_timeout', error, `the MCP server ${name} did not list its tools in time`)
}

function lifeOf({ ttlMs }: Fields): number {
  return typeof ttlMs === 'number' ? Math.min(MOST_LIFE_MS, Math.max(LEAST_LIFE_MS, ttlMs)) : DEFAULT_LIFE_MS
}

/** Undefined for a tool that no model could be offered: its name or its schema is of no use. */
function readTool({ name, title, description, inputSchema, annotations }: Fields): ServerTool | undefined {
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) return undefined
  const input = inputOf(inputSchema)
  if (!input) return undefined
  return {
    name,
    ...(textOf(title) && { title: shown(textOf(title)).slice(0, 200) }),
    description: shown(textOf(description)),
    ...input,
    ...(isRecord(annotations) && { annotations: recordOf(allShown(annotations)) }),
  }
}

function shown(text: string): string {
  return text
    .slice(0, MAX_DESCRIPTION_CHARS)
    .replace(HIDDEN, (hidden) => (/\s/.test(hidden) ? hidden : ''))
    .toWellFormed()
}

/** References to other documents are not followed, and a provider might. */
function inputOf(schema: unknown): Pick<ServerTool, 'inputSchema' | 'mirrored'> | undefined {
  if (!isRecord(schema) || JSON.stringify(schema).length > MAX_SCHEMA_CHARS || !isPlain(schema, 0)) return undefined
  const mirrored = mirroredIn(schema)
  if (!mirrored) return undefined
  const plain = recordOf(allShown(mirrored.length > 0 ? withoutMarks(schema) : schema))
  return { inputSchema: { ...plain, type: 'object', ...(!isRecord(plain.properties) && { properties: {} }) }, mirrored }
}

/** Every text in a schema that only describes. Other texts are values, which the server compares. */
function allShown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(allShown)
  if (!isRecord(value)) return value
  const members = Object.entries(value).map(([name, member]) => {
    return [name, DESCRIBING.has(name) && typeof member === 'string' ? shown(member) : allShown(member)]
  })
  return Object.fromEntries(members)
}

const DESCRIBING: ReadonlySet<string> = new Set(['description', 'title', '$comment'])

function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth > MAX_SCHEMA_DEPTH) return false
  for (const [name, member] of Object.entries(value)) {
    if (name === '$ref' && typeof member === 'string' && !member.startsWith('#')) return false
    if (!isPlain(member, depth + 1)) return false
  }
  return true
}
