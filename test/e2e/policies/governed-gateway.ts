import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach } from 'node:test'
import { startFakeProvider } from '../../fakes/provider.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'

export type Fields = Record<string, unknown>
type Reply = {
  status: number
  body: {
    error?: { code: string; message: string }
    detail?: { loc: unknown[]; msg: string }[]
    gatehouse?: { notes: { field: string; action: string; reason: string }[] }
    cost?: number | null
  }
}

export const messages = [{ role: 'user', content: 'Hello' }]

/** A gateway with many providers, all of them at one address, for the tests of one file. */
export async function governedGateway() {
  const fake = await startFakeProvider({ everyPath: true })
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-config-'))
  const file = join(folder, 'gatehouse.config.json')
  const host = { dialect: 'openai', baseUrl: fake.url }
  const trusted = { ...host, allowFields: ['models', 'api_base'] }
  const proof = { ...host, auth: { scheme: 'header', header: 'X-Proof', env: 'PROOF_API_KEY' } }
  await writeFile(file, JSON.stringify({ providers: { host, trusted, proof } }))
  const rows = [
    'OPENAI',
    'ANTHROPIC',
    'OPENROUTER',
    'AI_GATEWAY',
    'XAI',
    'WATSONX',
    'GEMINI',
    'GROQ',
    'MISTRAL',
    'AZURE',
  ]
  const more = ['TOGETHER', 'DATABRICKS', 'CORTECS', 'OCI_GENAI', 'BFL', 'TAVILY']
  const settings = [...rows, ...more].flatMap((row) => [
    [`${row}_BASE_URL`, fake.url],
    [`${row}_API_KEY`, 'sk-fake-0123456789'],
  ])
  const watsonx = { WATSONX_TOKEN_URL: `${fake.url}/token`, WATSONX_PROJECT_ID: 'ours', AZURE_RESOURCE_NAME: 'a' }
  const env = { GATEHOUSE_CONFIG: file, PROOF_API_KEY: 'ours', DATABRICKS_TOKEN: 'x', ...watsonx }
  const gateway = await startGateway({ env: { ...env, ...Object.fromEntries(settings) } })
  beforeEach(() => fake.reset())
  after(async () => {
    await fake.close()
    await gateway.close()
    await rm(folder, { recursive: true })
  })
  return { gateway, fake, issue, post }

  async function issue(scopes: string[]): Promise<string> {
    return (await adminClient(gateway.adminUrl).issue({ scopes })).key
  }

  async function post(endpoint: string, body: Fields | FormData, key = API_KEY): Promise<Reply> {
    const isForm = body instanceof FormData
    const response = await fetch(`${gateway.url}/v3/${endpoint}`, {
      method: 'POST',
      headers: {
        ...(!isForm && { 'content-type': 'application/json' }),
        authorization: `Bearer ${key}`,
        'x-gatehouse-metadata': 'enabled',
      },
      body: isForm ? body : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} }
  }
}
