import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDialectGateway } from '../gateway/dialect-gateway.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import { AGENT_NAMES, tryAgents } from './agents/try-agents.ts'
import { CLIENTS } from './client-table.ts'
import { GENERATORS, type Generator } from './generators.ts'
import { LINTERS } from './linters.ts'
import { compareWithLitellm } from './litellm/compare.ts'
import { MCP_NAMES, tryMcp } from './mcp/try-mcp.ts'
import { run } from './run.ts'
import { sandboxKey } from './sandbox-key.ts'
import { tryClient } from './try-client.ts'

// `npm run clients [name or group…]`: runs the real clients of docs/clients.md against the gateway with a provider that refuses what the
// real ones refuse; generates clients from the OpenAPI document of a running gateway, compiles them and calls the
// gateway with them; checks the documents of both listeners with linters; and compares the gateway with a real LiteLLM
// that has the same config.yaml; and puts the gateway between MCP servers and MCP clients by others.

const COMPARISON = 'comparison'
const AGENTS = 'agents'
const MCP = 'mcp'
const LANGUAGES: readonly string[] = [...new Set(CLIENTS.map(({ language }) => language))]
/** What can be run alone, beside single clients. */
const GROUPS: readonly string[] = [...LANGUAGES, AGENTS, MCP, 'generators', 'linters', COMPARISON]

const wanted = process.argv.slice(2)
if (wanted.some((word) => ['--help', '-h', 'help'].includes(word))) {
  console.log(help())
  process.exit()
}
const folder = await mkdtemp(join(tmpdir(), 'gatehouse-clients-'))
const lines: string[] = []
try {
  refuseUnknown()
  await tryClients()
  await tryAgents((name) => isWanted(name, AGENTS), folder, report)
  await tryMcp((name) => isWanted(name, MCP), folder, report)
  await tryGenerators()
  if (isWanted(COMPARISON, COMPARISON)) report(await compareWithLitellm(folder))
  process.exitCode = lines.some((line) => line.includes('FAILED')) ? 1 : 0
} finally {
  await rm(folder, { recursive: true, force: true })
}

function isWanted(name: string, group: string): boolean {
  return wanted.length === 0 || wanted.includes(name) || wanted.includes(group)
}

function help(): string {
  const members = LANGUAGES.map((language) => [
    language,
    CLIENTS.flatMap((client) => (client.language === language ? client.name : [])).join(', '),
  ])
  const groups = [
    ...members,
    [AGENTS, AGENT_NAMES.join(', ')],
    [MCP, MCP_NAMES.join(', ')],
    ['generators', GENERATORS.map(({ name }) => name).join(', ')],
    ['linters', LINTERS.map(({ name }) => name).join(', ')],
    [COMPARISON, 'a real LiteLLM with the same config.yaml'],
  ]
  return [
    'npm run clients [name or group…]',
    '',
    'Installs real clients into a temporary folder and runs them against the gateway. Without a name it runs all of them,',
    'which takes an hour. Groups, each of which can be run alone, and what is in them:',
    '',
    ...groups.map(([name, list]) => `  ${name}: ${list}`),
  ].join('\n')
}

function report(line: string): void {
  lines.push(line)
  console.log(line)
}

function refuseUnknown(): void {
  const known = [...CLIENTS, ...GENERATORS, ...LINTERS].map(({ name }) => name).concat(AGENT_NAMES, MCP_NAMES, GROUPS)
  const odd = wanted.filter((name) => !known.includes(name))
  if (odd.length > 0) throw new Error(`There is no ${odd.join(', ')}.\n\n${help()}`)
}

async function tryClients(): Promise<void> {
  const clients = CLIENTS.filter(({ name, language }) => isWanted(name, language))
  if (clients.length === 0) return
  const { gateway, close } = await startDialectGateway()
  const env = { GATEHOUSE_URL: gateway.url, GATEHOUSE_API_KEY: API_KEY }
  try {
    for (const client of clients) report(await tryClient(client, folder, env))
  } finally {
    // Fails if the gateway gave an answer that its documents do not describe.
    await close()
  }
}

async function tryGenerators(): Promise<void> {
  const generators = [
    ...GENERATORS.filter(({ name }) => isWanted(name, 'generators')),
    ...LINTERS.filter(({ name }) => isWanted(name, 'linters')),
  ]
  if (generators.length === 0) return
  const gateway = await startGateway()
  const env = { GATEWAY_URL: gateway.url, GATEWAY_KEY: await sandboxKey(gateway) }
  try {
    await fetchDocuments(gateway)
    for (const generator of generators) report(await tried(generator, env))
  } finally {
    await gateway.close()
  }
}

async function fetchDocuments({ url, adminUrl }: GatewayUnderTest): Promise<void> {
  const addresses = {
    'api.json': `${url}/openapi.json`,
    'admin.json': `${adminUrl}/openapi.json`,
  }
  for (const [file, address] of Object.entries(addresses))
    await writeFile(join(folder, file), await (await fetch(address)).text())
}

async function tried({ name, needs, steps }: Generator, env: Record<string, string>): Promise<string> {
  for (const tool of needs)
    if ((await run(`command -v ${tool}`, folder, env)).code !== 0) return `${name}: skipped, there is no ${tool}`
  for (const [step, command] of Object.entries(steps)) {
    const { code, output } = await run(command, folder, env)
    if (code !== 0) return `${name}: ${step} FAILED\n${output.slice(-2_000)}`
  }
  return `${name}: ok (${Object.keys(steps).join(', ')})`
}
