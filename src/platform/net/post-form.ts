/** The answer to a form. A redirect is an error: the form may hold a secret that is for this address only. */
type FormAnswer = { status: number; text: string }

export async function postForm(
  url: string,
  form: Record<string, string>,
  { agent, timeoutMs, maxBytes }: { agent: string; timeoutMs: number; maxBytes: number },
): Promise<FormAnswer> {
  const answer = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { 'user-agent': agent },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  return { status: answer.status, text: await readAtMost(answer, maxBytes) }
}

async function readAtMost({ body }: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.length
    if (bytes > maxBytes) throw new Error('The answer is too large.')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
