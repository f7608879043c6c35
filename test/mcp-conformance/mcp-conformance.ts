import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API_KEY, startGateway } from '../gateway/gateway-under-test.ts'
import { DIAGNOSTIC_TOOLS } from './diagnostic-tools.ts'
import { startKeyProxy } from './key-proxy.ts'

// `npm run mcp-conformance`: the conformance suite of the Model Context Protocol against our server, which has the tools that the suite
// calls. Installs the suite into a folder outside of the repository, or takes the one that MCP_CONFORMANCE names. What is expected to
// fail is in expected-failures.yml, with the reason.

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const PROGRAM = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'
const REVISIONS = ['2026-07-28', '2025-11-25']
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
} finally {
  proxy.close()
  await gateway.close()
  if (!process.env.MCP_CONFORMANCE) await rm(folder, { recursive: true, force: true })
}

function run(program: string, parameters: string[]): Promise<number | null> {
  const child = spawn(program, parameters, { stdio: 'inherit' })
  return new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
}
