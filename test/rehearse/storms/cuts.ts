import { HELLO, type StreamedReply } from '../../gateway/chat-client.ts'
import type { Behaviour } from '../../fakes/behaviours.ts'
import { messagesOf } from '../../fakes/fold-chunks.ts'
import { hangUp } from '../../fakes/hang-up.ts'
import { type Chunk, interleavedChoices, reasoningEvents, textEvents, toolEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { few, howMany, mapConcurrently, oneOf, openStormGateway, randomBelow, type Storm } from './storm.ts'

const AT_ONCE = 10
const STREAMS: Record<string, Chunk[]> = {
  text: textEvents('Grüß dich, 世界 👋🏽 und noch mehr davon.'),
  reasoning: reasoningEvents('First I think about it.', 'Then I say so.'),
  tools: toolEvents([{ id: 'call_1', name: 'weather', arguments: '{"city":"Tromsø"}' }]),
  choices: interleavedChoices(['One two three', 'Four five six seven']),
}
const OTHERS = textEvents('What the other model says.')

type Cut = { kind: string; place: number; ending: 'fin' | 'rst' }

/**
 * Streams that break anywhere, alone and with a fallback that says something else: none may look complete without being so.
 */
export const randomCuts: Storm = async (options) => {
  const startedAt = performance.now()
  const gateway = await openStormGateway()
  gateway.provider.always(cutAsRequested)
  const wrong: string[] = []
  let complete = 0
  const done = await mapConcurrently(options, AT_ONCE, async () => {
    const cut = anywhere()
    const body = { ...HELLO, model: 'fake/cut', user: JSON.stringify(cut), n: cut.kind === 'choices' ? 2 : 1 }
    const reply = await gateway.chat.stream({ ...body, ...oneOf([{}, { fallbacks: ['fake/other'] }]) })
    if (reply.done > 0) complete++
    if (!isHonest(reply, cut)) wrong.push(`${JSON.stringify(cut)}: ${reply.text}`)
  })
  await gateway.close()
  const title = 'random cuts of recorded streams: none looks complete that is not'
  const got = `${howMany(done, options)} cuts, ${complete} after all was said, ${wrong.length} dishonest`
  return { title, got, calls: done, seconds: (performance.now() - startedAt) / 1_000, wrong: few(wrong) }
}

function anywhere(): Cut {
  const kind = oneOf(Object.keys(STREAMS))
  return { kind, place: randomBelow(bytesOf(kind).length), ending: oneOf(['fin', 'rst']) }
}

const cutAsRequested: Behaviour = (request, response) => {
  const { model, user } = request.body as { model: string; user: string }
  if (model === 'other') return stream(OTHERS)(request, response)
  const { kind, place, ending } = JSON.parse(user) as Cut
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  response.write(bytesOf(kind).subarray(0, place), () => hangUp(response, ending))
}

/** Either it reports a failure, once, or it is complete. */
function isHonest({ status, chunks, errors, done }: StreamedReply, { kind }: Cut): boolean {
  if (errors.length > 0) return errors.length === 1 && done === 0
  if (status !== 200 || done !== 1) return false
  const reported = JSON.stringify(messagesOf(chunks))
  return [STREAMS[kind]!, OTHERS].some((events) => JSON.stringify(messagesOf(events)) === reported)
}

function bytesOf(kind: string): Buffer {
  const texts = STREAMS[kind]!.map((event) => `data: ${JSON.stringify(event)}\n\n`)
  return Buffer.from([...texts, 'data: [DONE]\n\n'].join(''))
}
