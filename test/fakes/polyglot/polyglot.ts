import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { Behaviour } from '../behaviours.ts'
import type { SeenRequest } from '../provider.ts'
import type { ServerKeys } from '../s3-signature.ts'
import { anthropic } from './anthropic.ts'
import { answerTo } from './answer-to.ts'
import { bedrock } from './bedrock.ts'
import { cohere } from './cohere.ts'
import { embeddings } from './embeddings.ts'
import { gemini } from './gemini.ts'
import { openai } from './openai.ts'
import { type ReceivedRequest, Refusal, type Wire } from './wire.ts'

type Keys = { key: string; aws: ServerKeys }

/**
 * A provider that speaks every dialect, each at its own path. The name of a model chooses its behaviour: `fail-<status>`
 * fails, `too-long` refuses every prompt as too long, `short-context` every second question, `break` fails in the middle of
 * its stream; any other model follows the request: it calls its tools, two at once, answers from their results, keeps to a
 * schema, thinks, or says what it received.
 */
export function polyglot({ key, aws }: Keys): Behaviour {
  const wires = [openai(key), anthropic(key), gemini(key), bedrock(aws), cohere(key)]
  return async (request, response) => {
    if (request.path === '/v1/embeddings') return sendVectors(key, request, response)
    for (const wire of wires) if (await answers(wire, request, response)) return
    sendJson(response, 404, { message: 'The fake has nothing here.' })
  }
}

function sendVectors(key: string, { headers, body }: SeenRequest, response: ServerResponse): void {
  try {
    sendJson(response, 200, embeddings(key, headers.authorization, body))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    sendJson(response, error.status, { error: { message: error.message, type: 'error', param: null, code: null } })
  }
}

async function answers(wire: Wire, request: SeenRequest, response: ServerResponse): Promise<boolean> {
  try {
    const received = request.method === 'POST' ? wire.hear(request) : undefined
    if (!received) return false
    await speak(wire, received, response)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    sendJson(response, error.status, wire.failure(error.status, error.message))
  }
  return true
}

async function speak(wire: Wire, received: ReceivedRequest, response: ServerResponse): Promise<void> {
  const [, status] = /fail-(\d{3})/.exec(received.model) ?? []
  if (status) throw new Refusal(Number(status), 'It failed, as its name says.')
  if (received.model.includes('too-long') || isForgetful(received)) throw new Refusal(400, wire.tooLong)
  const answer = answerTo(received)
  if (!received.stream) return sendJson(response, 200, wire.whole(answer, received))
  const frames = wire.frames(answer, received)
  const isBroken = received.model.includes('break')
  await sendFrames(
    isBroken ? [...frames.slice(0, frames.length / 2), wire.broken('It broke.')] : frames,
    wire,
    response,
  )
}

/** A second question is too much for it, unless it asks for a summary of the first. */
function isForgetful({ model, turns = 0, text }: ReceivedRequest): boolean {
  return model.includes('short-context') && turns > 2 && !/summary/i.test(text)
}

/** A turn of the event loop between two frames keeps them from leaving as one packet. */
async function sendFrames(frames: Uint8Array[], { contentType }: Wire, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': contentType })
  for (const frame of frames) {
    response.write(frame)
    await setImmediate()
  }
  response.end()
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
