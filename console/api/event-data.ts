const DATA = 'data: '

/** The data of server-sent events, as they arrive. Comments, which keep a silent connection open, are left out. */
export async function* eventsIn(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const blocks = (rest + part.value).split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) yield* dataOf(block)
  }
  yield* dataOf(rest)
}

function dataOf(block: string): string[] {
  const lines = block.split('\n').filter((line) => line.startsWith(DATA))
  return lines.length > 0 ? [lines.map((line) => line.slice(DATA.length)).join('\n')] : []
}
