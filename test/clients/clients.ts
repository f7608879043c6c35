import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GatewayUnderTest, startGateway } from '../e2e/gateway-under-test.ts'
import { GENERATORS, type Generator } from './generators.ts'
import { LINTERS } from './linters.ts'
import { compareWithLitellm } from './litellm/compare.ts'
import { run } from './run.ts'
import { sandboxKey } from './sandbox-key.ts'

// `npm run clients [name…]`: generates clients from the OpenAPI document of a running gateway, compiles them and calls the
// gateway with them. Also checks the documents of both listeners with linters, and compares the gateway with a real LiteLLM
// that has the same config.yaml.

const gateway = await startGateway()
const folder = await mkdtemp(join(tmpdir(), 'gatehouse-clients-'))
const env = { GATEWAY_URL: gateway.url, GATEWAY_KEY: await sandboxKey(gateway) }
try {
  await fetchDocuments(gateway)
  const named = [...GENERATORS, ...LINTERS].filter(
    ({ name }) => process.argv.length < 3 || process.argv.slice(2).includes(name),
  )
  const lines: string[] = []
  for (const generator of named) {
    lines.push(await tried(generator))
    console.log(lines.at(-1))
  }
  if (process.argv.length < 3 || process.argv.includes('litellm')) {
    lines.push(await compareWithLitellm(folder))
    console.log(lines.at(-1))
  }
  process.exitCode = lines.some((line) => line.includes('FAILED')) ? 1 : 0
} finally {
  await gateway.close()
  await rm(folder, { recursive: true, force: true })
}

async function fetchDocuments({ url, adminUrl }: GatewayUnderTest): Promise<void> {
  const addresses = {
    'api.json': `${url}/openapi.json`,
    'api-without-webhooks.json': `${url}/openapi.json?webhooks=false`,
    'admin.json': `${adminUrl}/openapi.json`,
  }
  for (const [file, address] of Object.entries(addresses))
    await writeFile(join(folder, file), await (await fetch(address)).text())
}

async function tried({ name, needs, steps }: Generator): Promise<string> {
  for (const tool of needs)
    if ((await run(`command -v ${tool}`, folder, env)).code !== 0) return `${name}: skipped, there is no ${tool}`
  for (const [step, command] of Object.entries(steps)) {
    const { code, output } = await run(command, folder, env)
    if (code !== 0) return `${name}: ${step} FAILED\n${output.slice(-2_000)}`
  }
  return `${name}: ok (${Object.keys(steps).join(', ')})`
}
