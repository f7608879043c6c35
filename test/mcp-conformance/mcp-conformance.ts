import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API_KEY, startGateway } from '../gateway/gateway-under-test.ts'
import { DIAGNOSTIC_TOOLS } from './diagnostic-tools.ts'
import { startKeyProxy } from './key-proxy.ts'

// `npm run mcp-conformance`: the conformance suite of the Model Context Protocol against our server, which has the tools that the suite
// calls, and against the gateway as the client of servers behind it. Installs the suite into a folder outside of the repository, or takes the one that MCP_CONFORMANCE names. What is expected to
// fail is in expected-failures.yml, with the reason.

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const PROGRAM = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'
const REVISIONS = ['2026-07-28', '2025-11-25']
/** What the suite watches of clients, without what the gateway has not: OAuth, elicitation, streams that are resumed. */
const OF_CLIENTS = [
  ...['tools_call', 'request-metadata', 'http-standard-headers', 'http-custom-headers', 'http-invalid-tool-headers'],
  ...['json-schema-ref-no-deref', 'json-schema-2020-12-preservation'],
]
const CLIENT = `${process.execPath} ${join(import.meta.dirname, 'gateway-client.ts')}`
/** The client starts a gateway. */
const CLIENT_MS = '120000'
const EXPECTED = join(import.meta.dirname, 'expected-failures')

const folder = process.env.MCP_CONFORMANCE ?? (await mkdtemp(join(tmpdir(), 'gatehouse-mcp-conformance-')))
const gateway = await startGateway({ overrides: { moreTools: DIAGNOSTIC_TOOLS } })
const proxy = await startKeyProxy(gateway.url, API_KEY)
try {
  if (!process.env.MCP_CONFORMANCE)
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder, SUITE])
  for (const revision of REVISIONS) {
    const parameters = ['server', '--url', `${proxy.url}/v3/mcp`, '--requirements', revision]
    const failed = await run(process.execPath, [
      ...[join(folder, PROGRAM), ...parameters],
      ...['--expected-failures', `${EXPECTED}-${revision}.yml`, '--output-dir', join(folder, 'results')],
    ])
    if (failed !== 0) process.exitCode = 1
  }
  for (const scenario of OF_CLIENTS) {
    const asked = ['--scenario', scenario, '--spec-version', REVISIONS[0]!, '--timeout', CLIENT_MS]
    const parameters = ['client', '--command', CLIENT, ...asked, '--output-dir', join(folder, 'results')]
    if ((await run(process.execPath, [join(folder, PROGRAM), ...parameters])) !== 0) process.exitCode = 1
  }
} finally {
  proxy.close()
  await gateway.close()
  if (!process.env.MCP_CONFORMANCE) await rm(folder, { recursive: true, force: true })
}

function run(program: string, parameters: string[]): Promise<number | null> {
  const child = spawn(program, parameters, { stdio: 'inherit' })
  return new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
}
