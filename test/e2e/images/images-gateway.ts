import { after, beforeEach } from 'node:test'
import { type FakeImages, startFakeImages } from '../../fakes/images.ts'
import type { Refusal } from '../../gateway/admin-client.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

type ImageBody = Refusal & {
  created: number
  data: ImageItem[]
  output_format: string
  size: string
  usage: { input_tokens: number; output_tokens: number; total_tokens: number }
  cost: number | null
  provider: string
  gatehouse: { attempts: object[]; notes: { field: string }[] }
}
type ImageItem = { b64_json: string | null; url: string | null; revised_prompt: string | null }
export type ImageReply = { status: number; headers: Headers; body: ImageBody }

type ImagesGateway = {
  gateway: GatewayUnderTest
  fake: FakeImages
  generate(body: object, more?: NewKeyOptions): Promise<ImageReply>
  edit(body: object, more?: NewKeyOptions): Promise<ImageReply>
  editForm(form: FormData): Promise<ImageReply>
}
type NewKeyOptions = { key?: string; headers?: Record<string, string>; signal?: AbortSignal }

/**
 * The gateway with a fake image provider for `openai/…`, `bfl/…`, `xai/…` and those with the given prefixes of settings.
 * Callers may use URLs on this machine.
 */
export async function imagesGateway(
  settings: Record<string, string> = {},
  prefixes: readonly string[] = [],
): Promise<ImagesGateway> {
  const fake = await startFakeImages()
  const more = prefixes.map((prefix) => ({ [`${prefix}_API_KEY`]: 'more-test', [`${prefix}_BASE_URL`]: fake.url }))
  const env = {
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: fake.url,
    BFL_API_KEY: 'bfl-test',
    BFL_BASE_URL: fake.url,
    XAI_API_KEY: 'xai-test',
    XAI_BASE_URL: fake.url,
    ...Object.assign({}, ...more),
    ALLOW_NETWORKS: '127.0.0.0/8',
    ...settings,
  }
  const gateway = await startGateway({ env })
  after(async () => {
    await gateway.close()
    await fake.close()
  })
  beforeEach(() => fake.reset())
  return {
    gateway,
    fake,
    generate: (body, more) => post('/v3/images/generations', body, more),
    edit: (body, more) => post('/v3/images/edits', body, more),
    editForm: async (form) => toReply(await send('/v3/images/edits', form, {})),
  }

  async function post(path: string, body: object, { key, headers, signal }: NewKeyOptions = {}): Promise<ImageReply> {
    const all = { 'content-type': 'application/json', ...headers, ...(key && { authorization: `Bearer ${key}` }) }
    return toReply(await send(path, JSON.stringify(body), all, signal))
  }

  function send(path: string, body: string | FormData, headers: Record<string, string>, signal?: AbortSignal) {
    const all = { authorization: `Bearer ${API_KEY}`, ...headers }
    return fetch(gateway.url + path, { method: 'POST', headers: all, body, signal: signal ?? null })
  }
}

async function toReply(response: Response): Promise<ImageReply> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as ImageBody }
}

/** An image of an answer: it always has all three members. */
export function image(known: Partial<ImageItem>): ImageItem {
  return { b64_json: null, url: null, revised_prompt: null, ...known }
}
