import { Agent } from 'node:http'
import { HELLO } from '../../gateway/chat-client.ts'
import { answer, type Behaviour } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { call, read } from './caller.ts'
import { few, howMany, mapConcurrently, openStormGateway, randomBelow, type Storm } from './storm.ts'

const AT_ONCE = 50
const REPEATED = 3
const MAX_CHARACTERS_READ = 1_200
/** One in this many is sent event by event, so that aborts fall between the events too. */
const SLOWLY = 8

/** Callers with a word of their own on shared sockets, a third of whom leave in the middle: no caller gets another's word. */
export const crossTalk: Storm = async (options) => {
  const startedAt = performance.now()
  const gateway = await openStormGateway()
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const wrong: string[] = []
  let left = 0
  gateway.provider.always(sayNonce)
  const done = await mapConcurrently(options, AT_ONCE, async (index) => {
    gateway.provider.requests.length = 0
    const nonce = `nonce${index}end`
    const isStreamed = index % 4 !== 0
    const isLeft = index % 3 === 0
    const asking = call(gateway.gateway.url, { ...HELLO, model: 'fake/x', user: nonce, stream: isStreamed }, agent)
    const text = await read(asking, isLeft ? randomBelow(MAX_CHARACTERS_READ) : undefined)
    if (isLeft) asking.destroy()
    if (isLeft) left++
    const transcription = text.match(/nonce\d+end/g) ?? []
    const expected = isStreamed ? REPEATED : 1
    if (transcription.some((word) => word !== nonce)) wrong.push(`${nonce} heard ${transcription}`)
    else if (!isLeft && transcription.length !== expected)
      wrong.push(`${nonce} heard ${transcription.length} of ${expected}: ${text}`)
  })
  agent.destroy()
  await gateway.idle()
  await gateway.close()
  const title = 'cross-talk: pooled sockets, random cancels, a word for everyone'
  const got = `${howMany(done, options)} requests, ${left} left early, ${wrong.length} with foreign or missing words`
  return { title, got, calls: done, seconds: (performance.now() - startedAt) / 1_000, wrong: few(wrong) }
}

const sayNonce: Behaviour = (request, response) => {
  const { user, stream: streamed } = request.body as { user: string; stream?: boolean }
  const chunking = randomBelow(SLOWLY) === 0 ? 'event' : 'whole'
  const behaviour = streamed
    ? stream(textEvents(`${user} `.repeat(REPEATED).trim()), { chunking })
    : answer({ content: user })
  return behaviour(request, response)
}
