import assert from 'node:assert/strict'
import { test } from 'node:test'
import type Anthropic from '@anthropic-ai/sdk'
import type { ChatRequest } from '../../../contract/chat.ts'
import type { MessagesBody } from './messages-body.ts'
import { Notes } from '../notes.ts'
import { bodyFor } from './request.ts'

type IsAny<Type> = 0 extends 1 & Type ? true : false
type Params = Anthropic.MessageCreateParamsNonStreaming
type Streamed = Anthropic.MessageCreateParamsStreaming
/** Sampling left the types with the newer version of the API; the version sent here still has it. */
type Body = Omit<MessagesBody, 'stream' | 'temperature' | 'top_p'>

// The compiler is the test: everything that the encoder may write has to be valid for Anthropic's own client.
const asParams = (body: Body): Params => body
const asStreamed = (body: Body): Streamed => ({ ...body, stream: true })

test("the body that is written fits the types of Anthropic's own client", () => {
  const isUntyped: IsAny<Params> = false
  assert.equal(isUntyped, false)
  const request: ChatRequest = { model: 'anthropic/m', messages: [{ role: 'user', content: 'Hi' }] }
  const body = bodyFor(request, { baseUrl: 'https://provider.test/v1', model: 'm' }, new Notes(), new Set())
  assert.equal(asParams(body).max_tokens, 4096)
  assert.equal(asStreamed(body).stream, true)
})
