import { CHATS, NATIVES } from '../fakes/exchanges/chats.ts'
import { ENDPOINTS } from '../fakes/exchanges/endpoints.ts'
import type { Exchange } from '../fakes/exchanges/exchange.ts'
import { IMAGES } from '../fakes/exchanges/images.ts'
import { TASKS } from '../fakes/exchanges/tasks.ts'
import { FAULTS, OF_CHATS, PLAIN, type Scenario } from './scenarios.ts'

export type PinnedCase = { name: string; exchange: Exchange; scenario: Scenario }

/** Answers that are a text are enough for what goes wrong, and for other formats than chat completions. */
const TEXTS = CHATS.filter(({ name }) => /, (text|plain)(, streamed)?$/.test(name))
/** The id of a container is sealed, and so another one each time. */
const COMPLETIONS = CHATS.filter(({ path, name }) => path === '/v3/chat/completions' && !name.includes('container'))
const TEXTS_OF_COMPLETIONS = TEXTS.filter(
  ({ path, name }) => path === '/v3/chat/completions' && name.includes('openai'),
)
/** Requests that become jobs. */
const JOBS: Exchange[] = TASKS.slice(0, 4).map(({ name, body, answer }) => {
  return { name: `${name}, as a job`, path: '/v3/universal-ai/async', body, answer }
})
const IN_BACKGROUND = TEXTS.filter(({ path, name }) => path === '/v3/responses' && !name.endsWith('streamed')).map(
  ({ name, path, body, answer }) => ({
    name: `${name}, in the background`,
    path,
    answer,
    body: { ...body, background: true, store: true },
  }),
)

/** Every endpoint and format, whole and streamed, with all that can happen to it. */
export function pinnedCases(): PinnedCase[] {
  const others = [...NATIVES, ...ENDPOINTS, ...TASKS]
  // Counts of tokens are remembered, so that they depend on the calls before.
  const forgotten = others.filter(({ name }) => !/^count,|input_tokens/.test(name))
  const jobs = [...JOBS, ...IN_BACKGROUND]
  return numbered([
    ...casesOf([...COMPLETIONS, ...TEXTS.filter((one) => !COMPLETIONS.includes(one))], [PLAIN]),
    ...casesOf([...others, ...IMAGES, ...jobs], [PLAIN]),
    ...casesOf([...TEXTS, ...forgotten, ...IMAGES.slice(0, 4)], FAULTS),
    ...casesOf(TEXTS_OF_COMPLETIONS, OF_CHATS),
    ...casesOf(
      jobs,
      FAULTS.filter(({ leavesAfter }) => leavesAfter === undefined),
    ),
  ])
}

function casesOf(exchanges: readonly Exchange[], scenarios: readonly Scenario[]): PinnedCase[] {
  return exchanges.flatMap((exchange) =>
    scenarios.map((scenario) => ({ name: `${exchange.name}: ${scenario.name}`, exchange, scenario })),
  )
}

/** Some recordings of a dialect have the same name. */
function numbered(cases: readonly PinnedCase[]): PinnedCase[] {
  const times = new Map<string, number>()
  return cases.map((one) => {
    const time = (times.get(one.name) ?? 0) + 1
    times.set(one.name, time)
    return time === 1 ? one : { ...one, name: `${one.name} (${time})` }
  })
}
