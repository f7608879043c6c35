import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach } from 'node:test'
import { OpenAI } from 'openai'
import { type FakeProvider, startFakeProvider } from '../../fakes/provider.ts'
import type { StoreKind } from '../../fakes/stores.ts'
import { strictOpenai } from '../../fakes/strict-openai.ts'
import { API_KEY, type GatewayUnderTest, startGateway } from '../../gateway/gateway-under-test.ts'

/** A gateway in front of OpenAI's own responses endpoint, from the first to the last test of a suite. */
export class ResponsesGateway {
  gateway!: GatewayUnderTest
  openai!: FakeProvider

  constructor(newStore: StoreKind['newStore']) {
    const closing = new AsyncDisposableStack()
    before(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'gatehouse-responses-'))
      closing.defer(() => rm(folder, { recursive: true }))
      const file = join(folder, 'gatehouse.config.json')
      await writeFile(file, JSON.stringify({ providers: { openai: { responses: true } } }))
      const openai = await startFakeProvider({ everyPath: true })
      closing.defer(() => openai.close())
      const provider = { OPENAI_BASE_URL: openai.url, OPENAI_API_KEY: 'sk-fake-0123456789' }
      this.gateway = await startGateway({ newStore, env: { ...provider, GATEHOUSE_CONFIG: file } })
      closing.defer(() => this.gateway.close())
      this.openai = openai
    })
    beforeEach(() => {
      this.openai.reset()
      this.openai.always(strictOpenai())
    })
    after(() => closing.disposeAsync())
  }

  clientWith(apiKey = API_KEY): OpenAI {
    return new OpenAI({ apiKey, baseURL: `${this.gateway.url}/v3`, maxRetries: 0 })
  }
}
