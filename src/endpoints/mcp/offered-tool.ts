import type { IncomingHttpHeaders } from 'node:http'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { Fields } from '../../base/schema/record.ts'
import type { Tool, ToolResult } from '../../translation/mcp/tools.ts'

/** An endpoint of the API, as method and path of its route. */
export type Endpoint = `${'GET' | 'POST'} /v3/${string}`

/** A request that a tool leads to. It is a request of the caller like every other. */
export type EndpointRequest = {
  endpoint: Endpoint
  /** The values of the parameters in the path. */
  parameters?: Readonly<Record<string, string>>
  json?: object
  /** A body that is not JSON. */
  form?: { type: string; bytes: Uint8Array }
}

export type EndpointAnswer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** What a tool may use while it runs. */
export type ToolKit = {
  caller: Caller
  services: CallServices
  signal: AbortSignal
  ask(request: EndpointRequest): Promise<EndpointAnswer>
  /** Tells the client, if it wants to know, that the work goes on. */
  progress(message: string): void
  /** The other tools of the caller. */
  tools: ReadonlyMap<string, OfferedTool>
}

/** What a tool leads to: its result, or a job that goes on. */
export type Outcome = { result: ToolResult; job?: { id: string } }

export type OfferedTool = {
  tool: Tool
  /** What the tool asks. A caller that may not use all of these endpoints does not have the tool. */
  endpoints: readonly Endpoint[]
  /** The task behind the tool, as `feature/subfeature`. */
  task?: string
  run(args: Fields, kit: ToolKit): Promise<Outcome>
}

/** No native tool of a model or of a client begins so. */
export const PREFIX = 'gatehouse_'
