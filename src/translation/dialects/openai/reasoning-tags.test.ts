import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { messagesOf } from '../../../../test/fakes/fold-chunks.ts'
import { PROVIDERS } from '../../../platform/providers/providers.ts'
import { openai } from './index.ts'

const TARGET = { compat: { reasoningTag: 'think', endsWithoutReason: 'always' } } as const
const REQUEST = { model: 'm', messages: [] }

/** A text, and the reasoning and the answer in it. */
const TEXTS: [said: string, thoughts: string | undefined, answer: string][] = [
  ['<think>Let me see.</think>Hello', 'Let me see.', 'Hello'],
  ['\n<think>\nLet me see.\n</think>\n\nHello\n', 'Let me see.\n', 'Hello\n'],
  ['<think>a < b </thin </think >x</think>y</think>', 'a < b </thin </think >x', 'y</think>'],
  ['<think><think>twice</think>Hello', '<think>twice', 'Hello'],
  ['<think>\n\n</think>\n\nHello', undefined, 'Hello'],
  ['<think>never an end </thi', 'never an end </thi', ''],
  ['<think></think>', undefined, ''],
  ['Hello <think>not a thought</think>', undefined, 'Hello <think>not a thought</think>'],
  ['<thinking>Hello', undefined, '<thinking>Hello'],
  ['<thi', undefined, '<thi'],
  [`${' '.repeat(40)}<think>far</think>`, undefined, `${' '.repeat(40)}<think>far</think>`],
  ['<think>日本 👋🏽</think>👋🏽 日本', '日本 👋🏽', '👋🏽 日本'],
  [' \n', undefined, ' \n'],
  ['', undefined, ''],
]

for (const [said, reasoning, answer] of TEXTS)
  describe(JSON.stringify(said), () => {
    test('is split in a whole answer', () => assert.deepEqual(whole(said), { reasoning, answer }))

    test('streamed, cut once anywhere, at every character, and ended by [DONE] alone', () => {
      const cuts = Array.from(said, (_, at) => [said.slice(0, at), said.slice(at)])
      for (const pieces of [...cuts, [...said], said.split('')])
        for (const hasFinish of [true, false])
          assert.deepEqual(streamed(pieces, hasFinish), { reasoning, answer }, JSON.stringify(pieces))
    })
  })

test('any text of pieces of tags, cut anywhere: the same as whole', () => {
  const words = ['<think>', '</think>', '<', '</', 'think', '>', ' ', '\n', 'a', '<thi', 'nk>', '👋🏽']
  for (let seed = 1; seed <= 400; seed++) {
    const random = numbers(seed)
    const said = Array.from({ length: random(12) }, () => words[random(words.length)]).join('')
    const pieces = [...said.matchAll(/[\s\S]{1,4}/g)].flatMap(([piece]) => {
      const cut = random(piece.length)
      return [piece.slice(0, cut), piece.slice(cut)]
    })
    assert.deepEqual(streamed(pieces, seed % 2 === 0), whole(said), `${seed}: ${JSON.stringify(pieces)}`)
  }
})

test('reasoning with a field of its own, and rows without tags, stay unchanged', () => {
  const message = { role: 'assistant', content: '<think>x</think>', reasoning_content: 'named' }
  assert.deepEqual(openai.chat.decode(completion(message), TARGET).choices[0]!.message, message)
  const plain = { role: 'assistant', content: '<think>x</think>' }
  assert.deepEqual(openai.chat.decode(completion(plain)).choices[0]!.message, plain)
  const decoder = openai.chat.decoder(REQUEST, TARGET)
  const events = [{ reasoning_content: 'named' }, { content: '<think>x</think>' }].map((delta) => chunk(delta))
  const [first] = messagesOf(events.flatMap((data) => decoder.feed({ data })))
  assert.deepEqual(first, { role: 'assistant', reasoning_content: 'named', content: '<think>x</think>' })
})

test('two choices reason independently; calls beside reasoning stay', () => {
  const decoder = openai.chat.decoder({ ...REQUEST, n: 2 }, TARGET)
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
  const events = [
    chunk({ content: '<thi' }, null, 0),
    chunk({ content: 'Plain' }, null, 1),
    chunk({ content: 'nk>One</think>' }, null, 0),
    chunk({ content: ' words' }, 'stop', 1),
    chunk({ content: null, tool_calls: [call] }, 'tool_calls', 0),
  ]
  const [thinker, speaker] = messagesOf(events.flatMap((data) => decoder.feed({ data }))) as Record<string, unknown>[]
  assert.deepEqual([thinker!.reasoning_content, speaker!.content], ['One', 'Plain words'])
  assert.deepEqual((thinker!.tool_calls as object[]).length, 1)
})

test('the row of a provider names the reasoning tag', () => {
  const rows = Object.entries(PROVIDERS).filter(([, { compat }]) => compat?.reasoningTag)
  const named = rows.map(([id]) => id).sort()
  const servers = ['llamacpp', 'lmstudio', 'ollama', 'sglang', 'vllm']
  const others = ['bedrock-openai', 'featherless', 'google-openai', 'hyperbolic', 'perplexity']
  assert.deepEqual(named, [...servers, ...others].sort())
})

function whole(said: string) {
  return reportedIn(openai.chat.decode(completion({ role: 'assistant', content: said }), TARGET).choices[0]!.message)
}

function streamed(pieces: string[], hasFinish: boolean) {
  const decoder = openai.chat.decoder(REQUEST, TARGET)
  const events = [chunk({ role: 'assistant', content: '' }), ...pieces.map((content) => chunk({ content }))]
  const all = [...events, ...(hasFinish ? [chunk({}, 'stop')] : []), '[DONE]']
  return reportedIn(messagesOf(all.flatMap((data) => decoder.feed({ data })))[0] as object)
}

function reportedIn({ content, reasoning_content }: { content?: unknown; reasoning_content?: unknown }) {
  return { reasoning: reasoning_content, answer: content }
}

function completion(message: object): string {
  return JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }] })
}

function chunk(delta: object, finish_reason: string | null = null, index = 0): string {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
  return JSON.stringify({ ...head, choices: [{ index, delta, finish_reason }] })
}

/** Numbers below a limit that look like chance, and are the same every time. */
function numbers(seed: number): (limit: number) => number {
  let state = seed * 2_654_435_761
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % limit
  }
}
