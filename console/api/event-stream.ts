import { type Address, type PathOf, postJson, type Posted } from './client.ts'
import { eventsIn } from './event-data.ts'

const END = '[DONE]'

/** Posts a body and hands over the server-sent events of the answer, as they arrive. Returns the headers of the answer. */
export async function postForEvents<Path extends PathOf<'POST'>>(
  path: Address<Path>,
  posted: Posted<Path>,
  onEvent: (event: unknown) => void,
): Promise<Headers> {
  const answer = await postJson(path, posted)
  for await (const data of eventsIn(answer.body!)) if (data !== END) onEvent(JSON.parse(data))
  return answer.headers
}
