import { after, describe } from 'node:test'
import { aiSdkTests } from './dialect-ai-sdk.ts'
import { startHouse } from './dialect-house.ts'
import { openaiSdkTests } from './dialect-openai-sdk.ts'

// Real clients, the real gateway, and one fake that speaks every dialect and refuses what the real servers refuse.

const house = await startHouse()
after(() => house.close())

describe('the openai SDK', () => openaiSdkTests(house))
describe('the AI SDK', () => aiSdkTests(house))
