import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { importLitellm } from '../../../src/cli/import/litellm/import-litellm.ts'
import { OTHER_VARIABLES } from '../../../src/cli/import/litellm/provider-names.ts'
import type { AliasTarget } from '../../../src/platform/config/aliases/alias.ts'
import { targetProvider } from '../../../src/platform/config/aliases/target-provider.ts'
import { type Config, parseConfig } from '../../../src/platform/config/config.ts'
import { providerNamed } from '../../../src/platform/config/provider-named.ts'
import { PROVIDERS } from '../../../src/platform/providers/providers.ts'
import { failure } from '../../fakes/behaviours.ts'
import { memoryFolder } from '../../fakes/memory-folder.ts'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import { API_KEY, startGateway } from '../../gateway/gateway-under-test.ts'
import { CATALOG } from '../import-fixture.ts'

/** A request that LiteLLM sends for a model of a config.yaml, as a run of LiteLLM recorded it. */
type RecordedRequest = {
  kind: 'chat' | 'embedding' | 'rerank' | 'image'
  /** `litellm_params.model`. */
  model: string
  /** The other litellm_params. */
  params?: Record<string, string>
  url: string
  body: unknown
}

export type ComparedRequest = RecordedRequest & {
  /** The verdict of the import about the name of the model. */
  outcome: string
  /** What the gateway sends; undefined if it sends nothing. */
  sent: { url: string; body: unknown } | undefined
}

export function recordedRequests(): RecordedRequest[] {
  const text = readFileSync(join(import.meta.dirname, 'recorded.jsonl'), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** What the requests of the recording have to do with, in the environment of both. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...keyVariables()].map((name) => [name, 'k'])),
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'AKIAX',
  AWS_SECRET_ACCESS_KEY: 's',
  AWS_BEARER_TOKEN_BEDROCK: '',
  CLOUDFLARE_ACCOUNT_ID: 'acct',
  SNOWFLAKE_ACCOUNT: 'acct',
  GOOGLE_APPLICATION_CREDENTIALS: '',
}

function* keyVariables(): Generator<string> {
  for (const { auth } of Object.values(PROVIDERS)) if (auth.env) yield auth.env
  yield* Object.values(OTHER_VARIABLES)
  yield* ['AZURE_AI_API_KEY', 'CODESTRAL_API_KEY']
}

/** Imports every model of the recording, and asks a gateway with the result for the same. */
export async function compareRequests(recorded: readonly RecordedRequest[]): Promise<ComparedRequest[]> {
  const fake = await startFakeProvider({ everyPath: true })
  fake.always(failure(400, { message: 'Enough was seen.' }))
  const { content, outcomes, secrets } = imported(recorded)
  const file = join(await mkdtemp(join(memoryFolder(), 'gatehouse-requests-')), 'config.json')
  writeFileSync(file, JSON.stringify(redirected(content, new URL(fake.url).origin)))
  const gateway = await startGateway({ env: { ...ENVIRONMENT, ...secrets, GATEHOUSE_CONFIG: file } })
  try {
    const compared: ComparedRequest[] = []
    for (const [index, row] of recorded.entries())
      compared.push({ ...row, outcome: outcomes[index]!, sent: await sentFor(row, `m${index}`, gateway.url, fake) })
    return compared
  } finally {
    await Promise.all([gateway.close(), fake.close()])
  }
}

function imported(recorded: readonly RecordedRequest[]) {
  const model_list = recorded.map(({ kind, model, params }, index) => ({
    model_name: `m${index}`,
    litellm_params: { model, ...params },
    model_info: { mode: kind },
  }))
  const { draft, findings } = importLitellm({ model_list }, { environment: ENVIRONMENT, catalog: CATALOG })
  const outcomes = recorded.map(
    (_, index) => findings.find(({ path }) => path === `model_list[${index}].litellm_params.model`)!.outcome,
  )
  return { content: draft.toConfig(), outcomes, secrets: Object.fromEntries(draft.secrets) }
}

/** The same config, with every address behind the fake server: https://host/path is /host/path there. */
function redirected(content: Record<string, unknown>, fake: string): Record<string, unknown> {
  const config = parseConfig({ environment: ENVIRONMENT, file: { path: undefined, content } })
  const behind = (address: string) => address.replace(/^https?:\//, fake)
  const providers = Object.entries((content.providers ?? {}) as Record<string, { baseUrl: string }>)
  return {
    ...content,
    providers: Object.fromEntries(providers.map(([id, row]) => [id, { ...row, baseUrl: behind(row.baseUrl) }])),
    aliases: Object.fromEntries(
      Object.entries(config.aliases).map(([name, alias]) => [
        name,
        { ...alias, targets: alias.targets.map((target) => redirectedTarget(target, config, behind)) },
      ]),
    ),
  }
}

function redirectedTarget(target: AliasTarget, config: Config, behind: (address: string) => string): AliasTarget {
  if (target.apiVersion !== undefined) return { ...target, baseUrl: behind(target.baseUrl!) }
  const id = target.model.slice(0, target.model.indexOf('/'))
  if (!Object.hasOwn(PROVIDERS, id)) return target
  const { baseUrl } = targetProvider(target, providerNamed(id, config.providers)!, config.source)
  return { ...target, baseUrl: behind(baseUrl) }
}

/** Whether both ask for the same at the same address. Spellings that the provider takes for the same are the same here. */
export function isSame({ url, body, sent }: ComparedRequest): boolean {
  if (!sent) return false
  return withoutScheme(url) === withoutScheme(sent.url) && isDeepStrictEqual(spelled(body), spelled(sent.body))
}

/** The fake server cannot tell https from http. */
function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '').replaceAll('%3A', ':')
}

/** OpenAI has two names for the limit of an answer, Google accepts snake_case, and an answer is not streamed by default. */
function spelled(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  if (Array.isArray(body)) return body.map(spelled)
  const members = Object.entries(body).filter(([name, value]) => name !== 'stream' || value !== false)
  return Object.fromEntries(members.map(([name, value]) => [SPELLINGS[name] ?? name, spelled(value)]))
}

const SPELLINGS: Readonly<Record<string, string>> = {
  max_completion_tokens: 'max_tokens',
  max_output_tokens: 'maxOutputTokens',
}

const PATHS = {
  chat: '/v3/chat/completions',
  embedding: '/v3/embeddings',
  rerank: '/v3/rerank',
  image: '/v3/images/generations',
} as const

const BODIES = {
  chat: { messages: [{ role: 'user', content: 'hi' }], max_tokens: 16, temperature: 0.5 },
  embedding: { input: ['hi'] },
  rerank: { query: 'q', documents: ['a', 'b'], return_documents: true },
  image: { prompt: 'a' },
} as const

async function sentFor({ kind }: RecordedRequest, model: string, url: string, fake: FakeProvider) {
  fake.requests.length = 0
  const reply = await fetch(url + PATHS[kind], {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, ...BODIES[kind] }),
  })
  await reply.text()
  const [seen] = fake.requests
  return seen && { url: `https:/${seen.path}`, body: seen.body }
}
