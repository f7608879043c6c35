/** A redirect is an error: the request holds a secret that is for this address only. */
type TextAnswer = { status: number; text: string }
type Limits = { agent: string; timeoutMs: number; maxBytes: number }

export async function postForm(url: string, form: Record<string, string>, limits: Limits): Promise<TextAnswer> {
  return await ask(url, { method: 'POST', body: new URLSearchParams(form) }, limits)
}

export async function getWithToken(url: string, token: string, limits: Limits): Promise<TextAnswer> {
  return await ask(url, { headers: { authorization: `Bearer ${token}` } }, limits)
}

async function ask(url: string, init: RequestInit, { agent, timeoutMs, maxBytes }: Limits): Promise<TextAnswer> {
  const headers = { 'user-agent': agent, ...(init.headers as Record<string, string> | undefined) }
  const answer = await fetch(url, { ...init, headers, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
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
