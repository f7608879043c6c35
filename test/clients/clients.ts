import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GatewayUnderTest, startGateway } from '../e2e/gateway-under-test.ts'
import { GENERATORS, type Generator } from './generators.ts'
import { run } from './run.ts'
import { sandboxKey } from './sandbox-key.ts'

// `npm run clients [name…]`: generates clients from the OpenAPI document of a running gateway, compiles them and calls the
// gateway with them.

const gateway = await startGateway()
const folder = await mkdtemp(join(tmpdir(), 'gatehouse-clients-'))
const env = { GATEWAY_URL: gateway.url, GATEWAY_KEY: await sandboxKey(gateway) }
try {
  await fetchDocuments(gateway)
  const named = GENERATORS.filter(({ name }) => process.argv.length < 3 || process.argv.slice(2).includes(name))
  const lines = []
  for (const generator of named) lines.push(await tried(generator))
  console.log(lines.join('\n'))
  process.exitCode = lines.some((line) => line.includes('FAILED')) ? 1 : 0
} finally {
  await gateway.close()
  await rm(folder, { recursive: true, force: true })
}

async function fetchDocuments({ url }: GatewayUnderTest): Promise<void> {
  for (const [file, query] of [
    ['api.json', ''],
    ['api-without-webhooks.json', '?webhooks=false'],
  ])
    await writeFile(join(folder, file!), await (await fetch(`${url}/openapi.json${query}`)).text())
}

async function tried({ name, needs, steps }: Generator): Promise<string> {
  for (const tool of needs)
    if ((await run(`command -v ${tool}`, folder, env)).code !== 0) return `${name}: skipped, there is no ${tool}`
  for (const [step, command] of Object.entries(steps)) {
    const { code, output } = await run(command, folder, env)
    if (code !== 0) return `${name}: ${step} FAILED\n${output.slice(-2_000)}`
  }
  const called = 'call' in steps ? '' : ' (calls are not written yet: compiled only)'
  return `${name}: ok${called}`
}
