import { Agent } from 'node:http'
import { HELLO } from '../../e2e/chat-client.ts'
import { answer, type Behaviour } from '../../fakes/behaviours.ts'
import { textEvents } from '../../fakes/openai-events.ts'
import { stream } from '../../fakes/stream.ts'
import { call, read } from './caller.ts'
import { few, howMany, inTurns, openStormHouse, randomBelow, type Storm } from './storm.ts'

const AT_ONCE = 50
const REPEATED = 3
const MOST_CHARACTERS_READ = 1_200
/** One in so many comes event by event, so that cancels fall between the events too. */
const SLOWLY = 8

/** Callers with a word of their own on shared sockets, a third of whom leave in the middle: nobody hears another's word. */
export const crossTalk: Storm = async (options) => {
  const startedAt = performance.now()
  const house = await openStormHouse()
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const wrong: string[] = []
  let left = 0
  house.provider.always(sayNonce)
  const done = await inTurns(options, AT_ONCE, async (index) => {
    house.provider.requests.length = 0
    const nonce = `nonce${index}end`
    const isStreamed = index % 4 !== 0
    const isLeft = index % 3 === 0
    const asking = call(house.gateway.url, { ...HELLO, model: 'fake/x', user: nonce, stream: isStreamed }, agent)
    const text = await read(asking, isLeft ? randomBelow(MOST_CHARACTERS_READ) : undefined)
    if (isLeft) asking.destroy()
    if (isLeft) left++
    const heard = text.match(/nonce\d+end/g) ?? []
    const expected = isStreamed ? REPEATED : 1
    if (heard.some((word) => word !== nonce)) wrong.push(`${nonce} heard ${heard}`)
    else if (!isLeft && heard.length !== expected) wrong.push(`${nonce} heard ${heard.length} of ${expected}: ${text}`)
  })
  agent.destroy()
  await house.idle()
  await house.close()
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
