import { API_KEY } from '../gateway/gateway-under-test.ts'
import { startGatewayWithTools } from '../gateway/gateway-with-tools.ts'
import { rpc } from '../e2e/mcp/raw-mcp.ts'

// The client that the conformance suite watches: the gateway, on the way to a server of the suite, whose address is the last argument.
// It lists the tools of that server and calls those that the scenario names, or else all.

type Tool = { name: string; inputSchema: object }
type ToolCall = { name: string; arguments: object }

/** What tools of scenarios without calls of their own are called with. */
const INPUTS: Readonly<Record<string, object>> = { add_numbers: { a: 5, b: 3 } }

const address = process.argv.at(-1)!.replace('//localhost:', '//127.0.0.1:')
const { toolCalls } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as { toolCalls?: ToolCall[] }
const setup = await startGatewayWithTools({ tickets: { url: address } })
try {
  const tools = (await ask<{ tools: Tool[] }>('tools/list', {})).tools
  for (const call of toolCalls ?? tools.map((tool) => callOf(tool, tools))) await ask('tools/call', call)
} finally {
  await setup.close()
}

/** One scenario wants the schema of a tool back, to see whether it has arrived whole. */
function callOf({ name }: Tool, [first]: Tool[]): ToolCall {
  return { name, arguments: INPUTS[name] ?? { schema: first!.inputSchema } }
}

async function ask<Result>(method: string, params: object): Promise<Result> {
  const { body } = await rpc(setup.gateway.url, method, params, { path: '/v3/mcp/tickets', key: API_KEY })
  if (!body.result) throw new Error(JSON.stringify(body))
  return body.result
}
