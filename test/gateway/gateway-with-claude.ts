import { after, beforeEach } from 'node:test'
import { type FakeProvider, startFakeProvider } from '../fakes/provider.ts'
import { type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

type GatewayWithClaude = {
  gateway: GatewayUnderTest
  /** Answers for `anthropic/…`, in the messages format. */
  claude: FakeProvider
  openai: FakeProvider
}

/** One gateway for a test file, with fakes of Anthropic and OpenAI that are reset before each test. */
export async function gatewayWithClaude(): Promise<GatewayWithClaude> {
  const [claude, openai] = [await startFakeProvider({ everyPath: true }), await startFakeProvider({ everyPath: true })]
  const keys = { ANTHROPIC_API_KEY: 'sk-ant-fake-0123', OPENAI_API_KEY: 'sk-fake-0123456789' }
  const gateway = await startGateway({
    env: { ANTHROPIC_BASE_URL: claude.url, OPENAI_BASE_URL: openai.url, ...keys },
  })
  beforeEach(() => {
    claude.reset()
    openai.reset()
  })
  after(async () => {
    await gateway.close()
    await claude.close()
    await openai.close()
  })
  return { gateway, claude, openai }
}
