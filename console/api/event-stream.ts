import { postJson } from './client.ts'

const DATA = 'data: '
const END = '[DONE]'

/** Posts a body and hands over the server-sent events of the answer, as they arrive. Returns the headers of the answer. */
export async function postForEvents(
  path: string,
  body: object,
  { signal, onEvent }: { signal: AbortSignal; onEvent: (event: unknown) => void },
): Promise<Headers> {
  const answer = await postJson(path, body, signal)
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const blocks = (rest + part.value).split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) if (isEvent(block)) onEvent(JSON.parse(block.slice(DATA.length)))
  }
  return answer.headers
}

/** Comments keep a silent connection open. */
function isEvent(block: string): boolean {
  return block.startsWith(DATA) && block !== DATA + END
}
