import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../src/platform/net/free-port.ts'
import { mcpClient } from '../../e2e/mcp/mcp-client.ts'
import { toolCaller } from '../../fakes/tool-caller.ts'
import { CLIENT_FORMATS } from '../../gateway/client-formats.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type GatewayWithTools, startGatewayWithTools } from '../../gateway/gateway-with-tools.ts'
import { LANGUAGES } from '../languages.ts'
import { run } from '../run.ts'
import { MCP_PROGRAMS, type McpProgram, PUBLIC_SERVERS, type PublicServer } from './mcp-programs.ts'

// `npm run clients mcp`: public MCP servers behind the gateway, and programs that use it as an MCP server.

const START_SECONDS = 60
const SHOWN_CHARS = 3_000

export const MCP_NAMES: readonly string[] = [...PUBLIC_SERVERS, ...MCP_PROGRAMS].map(({ name }) => name)

/** Reports a line for each server and each program: ok, FAILED or skipped, with the reason. */
export async function tryMcp(wanted: (name: string) => boolean, folder: string, report: (line: string) => void) {
  for (const server of PUBLIC_SERVERS)
    if (wanted(server.name)) report(await tryWith(server, folder, (setup) => useServer(server, setup)))
  for (const program of MCP_PROGRAMS)
    if (wanted(program.name))
      report(await tryWith(PUBLIC_SERVERS[0]!, folder, (setup, own) => runProgram(program, setup, own), program))
}

type Use = (setup: GatewayWithTools, own: string) => Promise<string>

/** With the server behind a gateway. What is tried is the server, or a program beside it. */
async function tryWith(server: PublicServer, folder: string, use: Use, program?: McpProgram): Promise<string> {
  const { name, packages } = program ?? server
  const title = `${name} (${packages.join(', ')})`
  const own = join(folder, `mcp-${name.replaceAll(/\W+/g, '-')}`)
  await mkdir(own)
  for (const tool of server.needs)
    if ((await run(`command -v ${tool}`, own, {})).code !== 0) return `${title}: skipped, there is no ${tool}`
  for (const one of program ? [server, program] : [server]) {
    const { code, output } = await run(LANGUAGES[one.language].install({ ...one, program: '', prints: [] }), own, {})
    if (code !== 0) return `${title}: skipped, it cannot be installed here\n${output.slice(-SHOWN_CHARS)}`
  }
  const running = await started(server, own)
  const config = { mcp: { servers: { [server.name]: { url: running.url } } } }
  const setup = await startGatewayWithTools({ config })
  setup.model.always(
    toolCaller([{ calls: [[`${server.name}__${server.tool}`, server.input]] }, { text: 'The tool has answered.' }]),
  )
  try {
    return `${title}: ok (${await use(setup, own)})`
  } catch (error) {
    return `${title}: FAILED\n${String(error).slice(0, SHOWN_CHARS)}\n${running.output().slice(-SHOWN_CHARS)}`
  } finally {
    await setup.close()
    await stop(running.child)
  }
}

/** Lists and calls in both eras of the protocol, and chats in two formats, whole and streamed. */
async function useServer({ name, tool, input, says }: PublicServer, { gateway, model }: GatewayWithTools) {
  let count = 0
  for (const era of ['legacy', 'modern'] as const) {
    const client = await mcpClient(gateway.url, era, { path: `/v3/mcp/${name}` })
    const { tools } = await client.listTools()
    count = tools.length
    assert.ok(tools.some((one) => one.name === tool))
    const result = await client.callTool({ name: tool, arguments: input as Record<string, unknown> })
    assert.notEqual(result.isError, true, JSON.stringify(result))
    assert.ok(JSON.stringify(result.content).includes(says), JSON.stringify(result))
    await client.close()
  }
  for (const format of ['chat', 'messages'] as const)
    for (const isStream of [false, true]) {
      const asked = model.requests.length
      const { path, body } = CLIENT_FORMATS[format]!
      const reply = await fetch(gateway.url + path('fake/priced', isStream), {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body('fake/priced', isStream), ...TOOLS_IN[format](name) }),
      })
      const text = await reply.text()
      assert.equal(reply.status, 200, text)
      assert.ok(text.includes(says), text)
      assert.equal(model.requests.length, asked + 2)
    }
  return `${count} tools; listed and called in both eras, and by chat completions and messages, whole and streamed`
}

const TOOLS_IN = {
  chat: (name: string) => ({ tools: [{ type: 'mcp', server_label: name }] }),
  messages: (name: string) => ({
    mcp_servers: [{ type: 'url', name }],
    tools: [{ type: 'mcp_toolset', mcp_server_name: name }],
  }),
}

async function runProgram(program: McpProgram, { gateway }: GatewayWithTools, own: string): Promise<string> {
  const { output } = await run(program.run, own, { GATEHOUSE_URL: gateway.url, GATEHOUSE_API_KEY: API_KEY })
  const missing = program.prints.filter((text) => !output.includes(text))
  assert.deepEqual(missing, [], output.slice(-SHOWN_CHARS))
  return program.prints.join('; ')
}

type Running = { child: ChildProcess; url: string; output(): string }

async function started({ start }: PublicServer, folder: string): Promise<Running> {
  const port = await freePort('127.0.0.1', 0)
  const child = spawn('sh', ['-ec', start], { cwd: folder, env: { ...process.env, PORT: String(port) } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece))
  const url = `http://127.0.0.1:${port}/mcp`
  for (let second = 0; second < START_SECONDS && child.exitCode === null; second++) {
    // Any answer will do: to a client without the protocol, it is a refusal.
    if (
      await fetch(url).then(
        ({ body }) => body?.cancel().then(() => true) ?? true,
        () => false,
      )
    )
      break
    await sleep(1_000)
  }
  return { child, url, output: () => output }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
