import type { Said } from './answers.ts'
import { ChatClient, CohereClient } from './chat-clients.ts'
import type { Client, Wishes } from './client.ts'
import type { Maker } from './makers.ts'
import { GeminiClient, MessagesClient, ResponsesClient } from './own-format-clients.ts'
import type { Fields } from './rule.ts'

/** How a conversation goes, besides the makers that take part in it. */
type Course = {
  name: string
  wishes: Wishes
  /** Text beside the results of tools, as agents add it. */
  beside?: boolean
  image?: boolean
  /** An instruction in the middle. */
  late?: boolean
  /** One of the answers has no text. */
  silent?: boolean
  failing?: boolean
}

const ALL: Wishes = { system: true, tools: true, thinks: true, schema: false }

const COURSES: readonly Course[] = [
  { name: 'tools', wishes: { ...ALL, thinks: false } },
  { name: 'tools and reasoning', wishes: ALL },
  { name: 'text beside results', wishes: ALL, beside: true },
  { name: 'images', wishes: { ...ALL, system: false }, image: true, beside: true },
  { name: 'a schema', wishes: { ...ALL, schema: true } },
  { name: 'a late instruction', wishes: ALL, late: true },
  { name: 'an answer without text', wishes: ALL, silent: true },
  { name: 'failed tools', wishes: { ...ALL, thinks: false }, failing: true, beside: true },
  { name: 'no tools', wishes: { ...ALL, tools: false, schema: true }, late: true, silent: true },
]

const CLIENTS = {
  chat: () => new ChatClient(),
  'chat, forgetful': () => new ChatClient(true),
  messages: () => new MessagesClient(),
  responses: () => new ResponsesClient(),
  gemini: () => new GeminiClient(),
  cohere: () => new CohereClient(),
} satisfies Record<string, () => Client>

export type ClientName = keyof typeof CLIENTS

type Talk = { client: ClientName; course: Course; makers: readonly [Maker, Maker] }

/** Every pair of makers in every course and every format, as far as both can take part. */
export function everyTalk(makers: readonly Maker[]): Talk[] {
  return (Object.keys(CLIENTS) as ClientName[])
    .flatMap((client) =>
      COURSES.flatMap((course) =>
        makers.flatMap((first) => makers.map((second) => ({ client, course, makers: [first, second] as const }))),
      ),
    )
    .filter(isPossible)
}

function isPossible({ course, makers }: Talk): boolean {
  return makers.every(({ talksOnly, isBlind }) => !(talksOnly && course.wishes.tools) && !(isBlind && course.image))
}

export function titleOf({ client, course, makers }: Talk): string {
  return `${client}, ${course.name}, ${makers.map(({ model }) => model).join(' and ')}`
}

/** This many of the conversations, spread over clients, courses and makers. */
export function someTalks(talks: readonly Talk[], count: number): Talk[] {
  return Array.from({ length: count }, (_, place) => talks[(place * PRIME) % talks.length]!)
}

/** No divisor of the number of conversations. */
const PRIME = 7919

/** What a maker says in one step. */
export type Ask = (asked: {
  maker: Maker
  body: Fields
  path: string
  client: ClientName
  said: Said
}) => Promise<Fields> | Fields

/** Plays a conversation in which the maker changes with every request, also between a call and its result. */
export async function play({ client: name, course, makers }: Talk, ask: Ask): Promise<void> {
  const client = CLIENTS[name]()
  const { wishes, beside, image, late, silent, failing } = course
  const { tools, thinks } = wishes
  let step = 0
  const turn = async (saying: Said['saying']) => {
    const maker = makers[step % 2]!
    const said = { saying, step: ++step, signature: maker.reader.signature, thinks }
    const body = structuredClone(client.request(maker.model, wishes))
    return client.hear(await ask({ maker, body, path: client.path(maker.model), client: name, said }))
  }
  const results = (calls: { id: string; name: string }[]) => {
    const found = calls.map(({ id, name }) => ({
      id,
      name,
      text: failing ? '' : 'Rain.',
      ...(failing && { isError: true }),
    }))
    client.answer({ results: found, beside: beside ? 'Mind the time.' : undefined, ...(image && { image }) })
  }
  client.say({ text: 'How is the weather?', ...(image && { image }) })
  if (tools) {
    results(await turn('calls'))
    results(await turn('call'))
  }
  await turn(silent ? 'nothing' : 'text')
  if (late) client.instruct('Be polite.')
  client.say({ text: 'And tomorrow?' })
  if (tools) results(await turn('calls'))
  await turn('text')
  client.say({ text: 'Thanks.' })
  await turn('text')
  client.say({ text: 'Bye.' })
  await turn('text')
}
